// Lines of the audit as a table, page by page.
import { badge, counted, el, number, table, time } from "./dom.js";

const SIGNS = { answered: "good", validated: "good", "not answered": "bad", "not admitted": "odd", "log-in failed": "odd" };

export const kind = (entry) => badge(entry.kind, SIGNS[entry.kind] || "");

/** What a line says beyond who, when and what kind, in words. */
export function about(entry) {
  const coarser = Object.entries(entry.levels || {}).filter(([, level]) => level).map(([name, level]) => `${name} at level ${level}`);
  return [
    entry.rows !== undefined && counted(entry.rows, "row"),
    coarser.length && coarser.join(", "),
    entry.withheld && `${number(entry.withheld)} withheld`,
    entry.agreement && `${entry.agreement}: ${number(entry.value, 4)} with a margin of ${number(entry.margin, 4)}`,
    entry.rule === "remembered" && "as before",
    entry.epsilon && `noise for ${number(entry.epsilon)}`,
    entry.rho && `noise for rho ${Number(entry.rho).toPrecision(3)}`,
    entry.shapes && `${counted(entry.shapes.length, "shape")} offered`,
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

/** The query as the gate understood it, near to SQL; its canonical text is folded under it. */
export function asked(entry) {
  if (!entry.asked) return "";
  return el("details", {}, el("summary", {}, el("code", {}, short(readable(String(entry.asked))))), el("p", { class: "fine" }, entry.asked));
}

function readable(told) {
  const [, table, having, about, query] = /^(.*?): .*? having (.*?) about (.*?) then (SELECT .*)$/s.exec(told) || [];
  if (!query) return told;
  const where = [about === "anybody" ? "" : about, having].filter(Boolean).join(" AND ").replace(/'(\w+)' (?=[=<>]|IN|IS|in|is)/g, "$1 ");
  const plain = query.replace(/"(\w+)" AS "\1"/g, "$1").replace(/"(\w+)"/g, "$1");
  return plain.replace(/ FROM answer\b/, ` FROM ${table}${where && ` WHERE ${where}`}`);
}

const short = (words) => (words.length > 140 ? `${words.slice(0, 138)} …` : words);

export const lines = (caption, headers, entries, row) => table(caption, headers, entries.map(row));
export const number_of = (entry) => number(entry.number);
export const when = (entry) => time(entry.time);
