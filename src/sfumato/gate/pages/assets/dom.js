// Elements made piece by piece. Words are always text: there is no way from a string to markup here.

const SVG = "http://www.w3.org/2000/svg";
const TWISTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]/gu;

export const one = (query, within = document) => within.querySelector(query);
export const all = (query, within = document) => [...within.querySelectorAll(query)];

/** Words with a mark in place of what would twist a page: controls, and characters that make text run backwards. */
export const visible = (words) => String(words).replace(TWISTING, "\ufffd");

/** An element. `on` holds what it listens to; anything else is an attribute; null leaves one out. */
export function el(name, given = {}, ...children) {
  return made(document.createElement(name), given, children);
}

export function svg(name, given = {}, ...children) {
  return made(document.createElementNS(SVG, name), given, children);
}

function made(node, { on = {}, ...given }, children) {
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    node.setAttribute(key, value === true ? "" : visible(value));
  }
  for (const [event, does] of Object.entries(on)) node.addEventListener(event, does);
  return fill(node, ...children);
}

/** Put children in the place of those that are there. */
export function fill(node, ...children) {
  const kept = children.flat(2).filter((child) => child !== null && child !== undefined && child !== false);
  node.replaceChildren(...kept.map((child) => (child instanceof Node ? child : document.createTextNode(visible(child)))));
  return node;
}

/** Tell a screen reader what happened. */
export function say(words) {
  one("#said").textContent = "";
  setTimeout(() => { one("#said").textContent = words; }, 30);
}

export const number = (value, digits = 2) => Number(value).toLocaleString("en", { maximumFractionDigits: digits });
export const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

/** A table with a caption and column headers; the first cell of each row is its header unless told otherwise.
 * A quiet caption is for screen readers: a heading says the same. */
export function table(caption, headers, rows, { numeric = [], first = "th", quiet = false } = {}) {
  const kind = (column) => (numeric.includes(column) ? "number" : null);
  const cell = (content, column) => {
    const name = column === 0 && first === "th" ? "th" : "td";
    return el(name, { class: kind(column), scope: name === "th" ? "row" : null }, content);
  };
  const head = el("tr", {}, headers.map((name, column) => el("th", { scope: "col", class: kind(column) }, name)));
  const body = rows.map((row) => el("tr", {}, row.map(cell)));
  return el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": caption },
    el("table", {}, el("caption", { class: quiet ? "unseen" : null }, caption), el("thead", {}, head), el("tbody", {}, body)));
}

export const badge = (words, kind = "") => el("span", { class: `badge ${kind}` }, words);
export const time = (text) => el("time", { datetime: text }, String(text).replace("T", " ").replace(/(\.\d+)?(\+00:00|Z)$/, ""));

/** Tabs as screen readers know them: arrows move, one panel is there at a time. Told which one was chosen. */
export function tabs(list, chosen = () => {}) {
  const buttons = all("[role=tab]", list);
  const choose = (button) => {
    for (const each of buttons) {
      const is = each === button;
      each.setAttribute("aria-selected", String(is));
      each.tabIndex = is ? 0 : -1;
      document.getElementById(each.getAttribute("aria-controls")).hidden = !is;
    }
    chosen(button.id);
  };
  list.addEventListener("click", (event) => event.target.closest("[role=tab]") && choose(event.target.closest("[role=tab]")));
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length];
    next.focus();
    choose(next);
  });
}
