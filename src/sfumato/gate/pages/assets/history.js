// What one asked, and what is left of the budget.
import { badge, el, fill, number, one, svg } from "./dom.js";
import { gets, tries } from "./gate.js";
import { about, asked, kind, lines, when } from "./entries.js";

let entries = [], before = null;

/** A bar of what is spent; the words beside it say the same. */
function bar({ rho: { spent, person, left } }) {
  const of = Math.max(person, spent), used = of ? (100 * spent) / of : 0, closed = of ? Math.max(0, 100 - used - (100 * left) / of) : 0;
  return svg("svg", { class: "budget", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "left", width: "100", height: "6" }),
    svg("rect", { class: "closed", x: String(100 - closed), width: String(closed), height: "6" }),
    svg("rect", { class: "spent", width: String(used), height: "6" }));
}

async function budget() {
  const told = await gets("/budget");
  const modes = { exact: "Numbers are told as they are or not at all, so nothing is spent.", noisy: "Numbers always come with noise.", either: "Numbers are told as they are where that is safe, and with noise otherwise." };
  fill(one("#budget"), el("p", {}, `Your profile is “${told.profile}”. ${modes[told.mode]}`), told.tables.map((table) => {
    const { rho } = table, percent = (part) => number(Math.round((1000 * part) / rho.person) / 10);
    const shared = rho.person - rho.spent > rho.left * (1 + 1e-9);
    return el("div", { class: "of-budget" }, el("h3", {}, table.table), bar(table),
      el("p", {}, el("strong", {}, `${percent(rho.spent)} % of your budget is spent.`), ` A question with noise costs ${percent(rho.query)} %: ${number(table.answers_left)} more can be asked.`,
        rho.spent > 0 && ` It amounts to an epsilon of ${number(Math.round(1000 * table.spent) / 1000)}, and the limit is ${number(table.person)}.`,
        shared && " Others have used part of the budget that everybody shares for this table.",
        table.delta > 0 && ` Thresholds of noisy groups have cost a delta of ${table.delta} in all.`),
      el("p", { class: "fine promise" }, table.promise));
  }));
}

async function older() {
  const told = await gets("/history", { before, limit: 50 });
  entries = [...entries, ...told.entries];
  before = told.before;
  fill(one("#entries"), entries.length
    ? lines("The newest first; times are in UTC.", ["When", "Number", "Outcome", "What you asked"], entries, (entry) => [
      when(entry), entry.query ? el("code", {}, entry.query) : "", [kind(entry), " ", el("span", { class: "fine" }, about(entry))], asked(entry)])
    : el("p", {}, "Nothing yet."));
  one("#older").hidden = before === null;
}

one("#older").addEventListener("click", () => tries(older));
tries(async () => { await budget(); await older(); }, { busy: "The history is read." });
