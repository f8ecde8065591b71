// A place to write SQL: coloured words under it, and suggestions of tables, fields and keywords.
import { el, fill, one, say } from "./dom.js";
import { KEYWORDS, pieces, quoted } from "./words.js";

const MOST = 8;

/** Make a textarea an editor. `asks` is what Ctrl+Enter does. */
export function editor(box, { tables, asks }) {
  const area = one("textarea", box), under = one("pre", box), list = one("[role=listbox]", box);
  const every = [
    ...tables.map(({ name }) => ({ text: quoted(name), word: name, about: "table" })),
    ...tables.flatMap((table) => table.fields.map((field) => ({ text: quoted(field.name), word: field.name, about: `${field.role}, ${field.kind}` }))),
    ...KEYWORDS.map((word) => ({ text: word, word, about: "" })),
  ].filter((each, place, all) => all.findIndex((other) => other.text === each.text) === place);
  const names = new Set(every.filter(({ about }) => about).map(({ word }) => word.toLowerCase()));
  let found = [], active = 0, start = 0;

  const paint = () => {
    fill(under, pieces(area.value, names).map(([kind, text]) => (kind ? el("span", { class: kind }, text) : text)), "\n");
    under.scrollTo(area.scrollLeft, area.scrollTop);
  };
  const close = () => { list.hidden = true; found = []; area.removeAttribute("aria-activedescendant"); };
  const mark = () => {
    [...list.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === active)));
    area.setAttribute("aria-activedescendant", `hint-${active}`);
    list.children[active].scrollIntoView({ block: "nearest" });
  };
  const suggest = (asked) => {
    const before = area.value.slice(0, area.selectionStart), typed = /[A-Za-z_]\w*$/.exec(before)?.[0] || "";
    const inQuotes = (before.match(/'/g) || []).length % 2;
    if ((!typed && !asked) || inQuotes) return close();
    start = area.selectionStart - typed.length;
    const lower = typed.toLowerCase();
    found = every.filter(({ word }) => word.toLowerCase().startsWith(lower)).slice(0, MOST);
    if (!found.length || (found.length === 1 && found[0].word.toLowerCase() === lower)) return close();
    active = 0;
    fill(list, found.map((each, place) => el("li", { id: `hint-${place}`, role: "option", on: { mousedown: (event) => { event.preventDefault(); accept(place); } } },
      el("span", {}, each.text), " ", el("small", {}, each.about))));
    list.hidden = false;
    put(before, typed);
    mark();
    say(`${found.length} suggestions; ${found[0].word} is first.`);
    return null;
  };
  const put = (before, typed) => {
    const lines = before.slice(0, before.length - typed.length).split("\n"), style = getComputedStyle(area);
    const high = parseFloat(style.lineHeight), measure = document.createElement("canvas").getContext("2d");
    measure.font = style.font;
    const left = parseFloat(style.paddingLeft) + measure.measureText(lines.at(-1)).width - area.scrollLeft;
    list.style.left = `${Math.max(0, Math.min(left, area.clientWidth - 220))}px`;
    list.style.top = `${parseFloat(style.paddingTop) + lines.length * high - area.scrollTop + 4}px`;
  };
  const accept = (place) => {
    area.setRangeText(found[place].text, start, area.selectionStart, "end");
    close();
    paint();
    area.focus();
  };
  const keys = {
    ArrowDown: () => { active = (active + 1) % found.length; mark(); },
    ArrowUp: () => { active = (active + found.length - 1) % found.length; mark(); },
    Enter: () => accept(active),
    Tab: () => accept(active),
    Escape: close,
  };
  area.addEventListener("keydown", (event) => {
    if (event.ctrlKey && event.key === " ") { event.preventDefault(); suggest(true); }
    else if ((event.ctrlKey || event.metaKey) && event.key === "Enter") { event.preventDefault(); close(); asks(); }
    else if (!list.hidden && keys[event.key] && !event.shiftKey) { event.preventDefault(); keys[event.key](); }
  });
  area.addEventListener("input", () => { paint(); suggest(false); });
  area.addEventListener("scroll", paint);
  area.addEventListener("blur", close);
  area.addEventListener("click", close);
  paint();
  return {
    get sql() { return area.value; },
    set sql(text) { area.value = text; paint(); },
    put(name) {
      const before = area.value.slice(0, area.selectionStart), gap = before && !/[\s(,]$/.test(before) ? " " : "";
      area.setRangeText(gap + quoted(name), area.selectionStart, area.selectionEnd, "end");
      paint();
      area.focus();
    },
    /** Select the word that ends at a place, for whoever has to mend it. */
    point({ line, column }) {
      const lines = area.value.split("\n"), begins = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
      const end = Math.min(begins + column, area.value.length), word = /"?\w*"?$/.exec(area.value.slice(0, end))[0];
      area.focus();
      area.setSelectionRange(end - word.length, end);
    },
  };
}
