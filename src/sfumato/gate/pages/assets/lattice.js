// The lattice to choose from: the most specific shapes that are safe, drawn and as a list of choices.
import { counted, el, fill, number, one, say, svg } from "./dom.js";

const MOST_DRAWN = 90;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const letter = (place) => (place < 26 ? LETTERS[place] : String(place + 1));

/** A level in words. */
export function levelWords(name, level, steps) {
  if (level === 0) return "as it is";
  if (name === "suppressed" || (!name && level === steps - 1)) return "not shown";
  const [, kind, count] = /^(width|first) (\S+)$/.exec(name || "") || [];
  if (kind) return kind === "width" ? `in steps of ${count}` : `first ${count} characters`;
  return name || `level ${level}`;
}

/** Show an offer in its section. `fields` are the catalogue's by name; `choose(shape)` and `noisy()` are what may follow. */
export function showOffer(section, offer, { fields, choose, noisy }) {
  fill(one("h2", section), "How ", el("code", {}, offer.query), " could be answered");
  const known = offer.shapes.length ? Object.keys(offer.shapes[0].levels) : [];
  const asAsked = offer.shapes.some(({ levels }) => Object.values(levels).every((level) => level === 0));
  const several = offer.shapes.length > 1;
  fill(one("div", section),
    offer.epsilon !== null && !asAsked && cost(offer, noisy),
    !offer.shapes.length && el("p", {}, "No shape of this answer is safe to show", offer.epsilon !== null ? " as it is." : "."),
    offer.shapes.length > 0 && el("p", {}, several
      ? "Each of these is as exact as it can be: to show one field better, another has to be coarser. Once you have seen one, the choice sticks."
      : asAsked ? "It can be answered as you asked." : "This is the most exact answer that is safe."),
    offer.shapes.length > 0 && chooser(offer, known, fields, choose),
    offer.epsilon !== null && asAsked && cost(offer, noisy));
  section.hidden = false;
  one("h2", section).focus();
  say(`${counted(offer.shapes.length, "shape")} to choose from.`);
}

function cost(offer, noisy) {
  return el("div", { class: "notice" },
    el("p", {}, el("strong", {}, `With noise it costs ${number(Math.round(1000 * offer.share) / 10)} % of your budget.`),
      offer.left > 0 ? ` ${counted(offer.left, "such question")} ${offer.left === 1 ? "remains" : "remain"}.` : " None remains for such a question."),
    el("p", { class: "acts" }, el("button", { type: "button", id: "noisy", disabled: offer.left < 1, on: { click: noisy } }, "Ask for noisy numbers")));
}

function chooser(offer, known, fields, choose) {
  const form = el("form", { class: "chooser" });
  const chosen = () => offer.shapes[Number(form.elements.shape.value)];
  const ladders = known.map((name) => ({ name, steps: fields[name]?.levels.length || 2, names: fields[name]?.levels || [] }));
  const nodes = ladders.reduce((count, each) => count * each.steps, 1);
  const pick = (place) => { form.elements.shape.value = String(place); paint(); };
  const drawing = known.length ? (nodes <= MOST_DRAWN ? lattice : strings)(offer.shapes, ladders, pick) : null;
  const paint = () => drawing?.paint(Number(form.elements.shape.value));
  fill(form,
    el("fieldset", {}, el("legend", {}, "Shapes"), el("div", { class: "shapes" },
      offer.shapes.map((shape, place) => card(shape, place, ladders)))),
    el("p", { class: "acts" }, el("button", { class: "main", type: "submit", id: "show-this" }, "Show this one")),
    drawing && el("figure", {}, drawing.node, el("figcaption", {}, drawing.caption)));
  form.addEventListener("change", paint);
  form.addEventListener("submit", (event) => { event.preventDefault(); choose(chosen()); });
  paint();
  return form;
}

function card(shape, place, ladders) {
  const lines = ladders.map(({ name, steps, names }) => {
    const level = shape.levels[name];
    return el("li", {}, el("strong", {}, name), " ", rungs(level, steps), " ", levelWords(shape.level_names?.[name] || names[level], level, steps));
  });
  return el("label", { class: "shape" },
    el("input", { type: "radio", name: "shape", value: String(place), checked: place === 0 }),
    el("span", { class: "letter", "aria-hidden": "true" }, letter(place)),
    el("span", { class: "what" }, ladders.length ? el("ul", {}, lines) : "no field that others may know",
      el("span", { class: "count" }, `${counted(shape.rows, "row")}${shape.withheld ? `, ${number(shape.withheld)} withheld` : ""}`)));
}

/** A field's level as a row of marks: the more are filled, the coarser it is. */
function rungs(level, steps) {
  const marks = Array.from({ length: steps - 1 }, (_, rung) =>
    svg("rect", { x: String(rung * 8), y: "1", width: "6", height: "10", rx: "1.5", class: rung < level ? "full" : "empty" }));
  return svg("svg", { class: "rungs", width: String(8 * (steps - 1)), height: "12", "aria-hidden": "true", focusable: "false" }, marks);
}

/** All nodes of the lattice, the values at the bottom: which are safe, and the most specific of those with their letters. */
function lattice(shapes, ladders, pick) {
  let every = [[]];
  for (const { steps } of ladders) every = every.flatMap((node) => Array.from({ length: steps }, (_, level) => [...node, level]));
  const rank = (node) => node.reduce((sum, level) => sum + level, 0);
  const ranks = Map.groupBy(every, rank);
  const widest = Math.max(...[...ranks.values()].map((row) => row.length));
  const across = Math.max(26, Math.min(64, 620 / widest)), up = 46, edge = 26;
  const width = Math.max(widest * across, 240) + 2 * edge, height = (ranks.size - 1) * up + 2 * edge + 18;
  const at = new Map();
  for (const [level, row] of ranks) row.forEach((node, place) => at.set(String(node), [width / 2 + (place - (row.length - 1) / 2) * across, height - edge - level * up]));
  const own = new Map(shapes.map((shape, place) => [String(ladders.map(({ name }) => shape.levels[name])), place]));
  const above = (node) => shapes.some((shape) => ladders.every(({ name }, place) => node[place] >= shape.levels[name]));
  const lines = every.flatMap((node) => node.map((_, place) => {
    const parent = String(node.map((level, other) => level + (other === place)));
    if (!at.has(parent)) return null;
    const [x1, y1] = at.get(String(node)), [x2, y2] = at.get(parent);
    return svg("line", { x1, y1, x2, y2, class: above(node) ? "passes" : "breaks" });
  }));
  const words = (node) => node.map((level, place) => `${ladders[place].name} ${levelWords(ladders[place].names[level], level, ladders[place].steps)}`).join(", ");
  const buttons = [];
  const dots = every.map((node) => {
    const [cx, cy] = at.get(String(node)), place = own.get(String(node));
    if (place === undefined) return svg("circle", { cx, cy, r: "4.5", class: above(node) ? "passes" : "breaks" }, svg("title", {}, words(node)));
    buttons[place] = svg("g", { class: "choice", on: { click: () => pick(place) } }, svg("circle", { cx, cy, r: "12" }),
      svg("text", { x: cx, y: cy + 4.5, "text-anchor": "middle" }, letter(place)), svg("title", {}, words(node)));
    return null;
  });
  const ends = [svg("text", { x: width / 2, y: 14, "text-anchor": "middle", class: "end" }, "nothing shown"),
    svg("text", { x: width / 2, y: height - 4, "text-anchor": "middle", class: "end" }, "as asked")];
  const node = svg("svg", { class: "lattice", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": `Lattice of ${every.length} ways to generalise ${ladders.map(({ name }) => name).join(", ")}; ${shapes.length} most specific ones are safe. The list beside it says the same.` }, lines, dots, buttons, ends);
  const paint = (chosen) => buttons.forEach((button, place) => button.classList.toggle("on", place === chosen));
  return { node, paint, caption: "From as asked, at the bottom, to nothing shown, at the top. Hollow points would tell too much; lettered ones are the most specific that are safe; filled ones are safe and coarser." };
}

/** Where the lattice has too many nodes to draw: each field is a string with its levels, each shape a line across them. */
function strings(shapes, ladders, pick) {
  const across = Math.max(118, 660 / ladders.length), up = 34, edge = 70, top = 26;
  const highest = Math.max(...ladders.map(({ steps }) => steps - 1));
  const width = (ladders.length - 1) * across + 2 * edge, height = highest * up + top + 44;
  const x = (place) => edge + place * across, y = (level) => height - 40 - level * up;
  const poles = ladders.flatMap(({ name, steps, names }, place) => [
    svg("line", { x1: x(place), x2: x(place), y1: y(0), y2: y(steps - 1), class: "pole" }),
    ...Array.from({ length: steps }, (_, level) => svg("circle", { cx: x(place), cy: y(level), r: "4", class: "breaks" }, svg("title", {}, levelWords(names[level], level, steps)))),
    svg("text", { x: x(place), y: height - 12, "text-anchor": "middle", class: "name" }, name),
  ]);
  const labels = ladders.flatMap(({ steps, names }, place) => Array.from({ length: steps }, (_, level) =>
    svg("text", { x: x(place) + 7, y: y(level) - 7, class: "level" }, levelWords(names[level], level, steps))));
  const drawn = svg("g");
  const paths = shapes.map((shape, place) => {
    const points = ladders.map(({ name }, column) => `${x(column)},${y(shape.levels[name])}`);
    return svg("g", { class: "choice string", on: { click: () => pick(place) } },
      svg("polyline", { points: points.join(" ") }), svg("title", {}, `shape ${letter(place)}`));
  });
  const node = svg("svg", { class: "lattice", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": `${shapes.length} shapes, each a line across the levels of ${ladders.map(({ name }) => name).join(", ")}. The list beside it says the same.` }, poles, fill(drawn, paths), labels);
  const paint = (chosen) => {
    paths.forEach((path, place) => path.classList.toggle("on", place === chosen));
    if (paths[chosen]) drawn.append(paths[chosen]);
  };
  return { node, paint, caption: "Each field is a string with its levels, from as asked at the bottom upwards; each shape is a line across them, and the one chosen is drawn thick." };
}
