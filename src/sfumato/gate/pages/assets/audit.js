// The audit centre: search, explain, verify, export.
import { counted, el, fill, number, one, say, time } from "./dom.js";
import { Refusal, gets, questions, saves, tries } from "./gate.js";
import { about, asked, kind, lines, number_of, when } from "./entries.js";

const KINDS = ["answered", "not answered", "not admitted", "looked", "logged in", "log-in failed", "logged out", "token made", "token ended",
  "account added", "account changed", "policy proposed", "policy in force", "policy rejected", "explained", "exported", "opened", "closed"];
const WANTED = ["who", "kind", "query", "text", "since", "until"];
let entries = [], before = null;

const wanted = () => Object.fromEntries(WANTED.map((name) => [name, one(`#${name}`).value.trim()]));

async function more() {
  const told = await gets("/audit", { ...wanted(), before, limit: 50 });
  entries = [...entries, ...told.entries];
  before = told.before;
  fill(one("#entries"), entries.length
    ? lines(`${counted(entries.length, "line")}; times are in UTC.`, ["Line", "When", "Who", "What happened", "Query", "What was asked"], entries, (entry) => [
      number_of(entry), when(entry), entry.who || "", [kind(entry), " ", el("span", { class: "fine" }, about(entry))],
      entry.query ? el("button", { type: "button", class: "explain", "aria-label": `Explain ${entry.query}`, on: { click: () => explain(entry.query) } }, entry.query) : "", asked(entry)])
    : el("p", {}, "No line fits."));
  one("#older").hidden = before === null;
  say(`${counted(entries.length, "line")}.`);
}

const search = () => tries(async () => { entries = []; before = null; await more(); });

const explain = (query) => tries(async () => {
  const told = await gets(`/explain/${encodeURIComponent(query)}`);
  const section = one("#explained");
  fill(one("h2", section), "What became of ", el("code", {}, told.query));
  fill(one("div", section),
    el("p", {}, "Asked by ", el("strong", {}, told.who.join(", ")), "."),
    el("ul", { class: "because" }, told.because.map((each) => el("li", {}, each))),
    told.asked && el("details", {}, el("summary", {}, "As it was understood"), el("p", { class: "code" }, told.asked)),
    el("details", {}, el("summary", {}, `Each time (${told.times.length})`), el("ul", {}, told.times.map((each) => el("li", {}, time(each.time), ` ${each.who}: ${each.kind}`)))),
    el("p", { class: "fine" }, "The recipient was told one sentence. What you tell them is for you to decide; that you looked is written down."));
  section.hidden = false;
  one("h2", section).focus();
});

async function verify() {
  const place = one("#chain");
  try {
    const told = await gets("/audit/verify");
    fill(place, el("p", { class: "verdict good" }, el("strong", {}, "The chain is whole. "), `${number(told.lines)} lines; the last digest is `, el("code", {}, told.digest), "."));
  } catch (refused) {
    if (!(refused instanceof Refusal) || refused.told.code !== "broken") throw refused;
    fill(place, el("p", { class: "verdict bad" }, el("strong", {}, refused.told.message), ` ${refused.told.found || ""}`));
  }
}

one("#kind").append(...KINDS.map((each) => el("option", {}, each)));
one("#search").addEventListener("submit", (event) => { event.preventDefault(); search(); });
one("#older").addEventListener("click", () => tries(more));
one("#verify").addEventListener("click", () => tries(verify, { busy: "The chain is verified." }));
for (const format of ["csv", "jsonl"]) {
  one(`#as-${format}`).addEventListener("click", () => tries(() => saves(`/audit/export${questions({ ...wanted(), format })}`, `audit.${format}`)));
}
search();
