// Lines of the audit as a table, page by page.
import { badge, el, number, table, time } from "./dom.js";

const SIGNS = { answered: "good", "not answered": "bad", "not admitted": "odd", "log-in failed": "odd" };

export const kind = (entry) => badge(entry.kind, SIGNS[entry.kind] || "");

/** What a line says beyond who, when and what kind, in words. */
export function about(entry) {
  const coarser = Object.entries(entry.levels || {}).filter(([, level]) => level).map(([name, level]) => `${name} at level ${level}`);
  return [
    entry.rows !== undefined && `${number(entry.rows)} rows`,
    coarser.length && coarser.join(", "),
    entry.withheld && `${number(entry.withheld)} withheld`,
    entry.rule === "remembered" && "as before",
    entry.epsilon && `noise for ${number(entry.epsilon)}`,
    entry.shapes && `${entry.shapes.length} shapes offered`,
    entry.code && `code ${entry.code}`,
    entry.reason,
    entry.account && `account ${entry.account}`,
    entry.table && `table ${entry.table}, version ${entry.version}`,
    entry.changed && `changed: ${entry.changed}`,
    entry.why && `because: ${entry.why}`,
    entry.format && `as ${entry.format}`,
    entry.about && `about ${entry.about}`,
  ].filter(Boolean).join("; ");
}

/** The query as the gate understood it, folded where it is long. */
export function asked(entry) {
  if (!entry.asked) return "";
  const [, query] = String(entry.asked).split(" then ");
  return el("details", {}, el("summary", {}, el("code", {}, short(query || entry.asked))), el("p", { class: "fine" }, entry.asked));
}

const short = (words) => (words.length > 90 ? `${words.slice(0, 88)} …` : words);

export const lines = (caption, headers, entries, row) => table(caption, headers, entries.map(row));
export const number_of = (entry) => number(entry.number);
export const when = (entry) => time(entry.time);
