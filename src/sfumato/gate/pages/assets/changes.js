// For the board: changes that wait, what they change, and agreeing or not.
import { el, fill, one, say, table as drawn, time } from "./dom.js";
import { gets, posts, tries } from "./gate.js";

/** Where two policies differ, part by part: its dotted name, what it says now, what it would say. A hierarchy is one part. */
export function differences(before, after, name = "") {
  const whole = (value) => value === null || typeof value !== "object" || Array.isArray(value);
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (before === undefined || after === undefined || whole(before) || whole(after) || name.endsWith("hierarchy")) return [[name, before, after]];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((each) => differences(before[each], after[each], name ? `${name}.${each}` : each));
}

const written = (value) => (value === undefined ? "nothing" : typeof value === "string" ? value : JSON.stringify(value).replaceAll(",", ", ").replaceAll(":", ": "));

async function read() {
  const { tables } = await gets("/tables"), waiting = [];
  for (const table of tables) {
    const of = `/tables/${encodeURIComponent(table.name)}/policies`, { versions } = await gets(of);
    const holds = await gets(`${of}/${table.version}`);
    for (const each of versions.filter(({ status }) => status === "proposed")) waiting.push(card(table.name, await gets(`${of}/${each.version}`), holds, of));
  }
  const terms = await gets("/terms");
  if (terms.proposed) waiting.unshift(ofTerms(terms));
  fill(one("#waiting"), waiting.length ? waiting : el("p", { class: "card" }, "No change waits."));
  say(waiting.length ? `${waiting.length} changes wait.` : "No change waits.");
}

function card(table, version, holds, of) {
  const id = `why-${table}-${version.version}`;
  const why = el("input", { id, maxlength: "2000" });
  const decide = (approve) => tries(async () => { await posts(`${of}/${version.version}/decision`, { approve, why: why.value }); await read(); });
  const parts = differences(holds.as_table, version.as_table).map(([name, now, then]) => [el("code", {}, name), el("span", { class: "went" }, written(now)), el("span", { class: "came" }, written(then))]);
  return el("section", { class: "card", "aria-label": `Version ${version.version} of ${table}` },
    el("h2", {}, table, ", version ", String(version.version)),
    el("p", {}, el("strong", {}, version.by), " proposed it at ", time(version.time), " UTC."),
    el("p", {}, el("strong", {}, "Why: "), version.why || "no reason was given."),
    drawn("What would change", ["Part of the policy", "Now", "Then"], parts),
    el("details", {}, el("summary", {}, "The whole policy as proposed"), el("pre", { class: "policy", tabindex: "0" }, version.policy)),
    el("p", { class: "field" }, el("label", { for: id }, "What do you say to it?"), why),
    el("p", { class: "acts" }, el("button", { class: "main", type: "button", on: { click: () => decide(true) } }, "Agree"), el("button", { type: "button", on: { click: () => decide(false) } }, "Do not agree")));
}

/** Terms that gate.toml says and that do not hold yet. */
function ofTerms({ held, proposed, changed }) {
  const why = el("input", { id: "why-terms", maxlength: "2000" });
  const decide = (approve) => tries(async () => { await posts("/terms/decision", { approve, why: why.value }); await read(); });
  const parts = differences(held, proposed).map(([name, now, then]) => [el("code", {}, name), el("span", { class: "went" }, written(now)), el("span", { class: "came" }, written(then))]);
  return el("section", { class: "card", "aria-label": "Terms of the gate's file" },
    el("h2", {}, "Terms of the gate's file"),
    el("p", {}, "The file was changed. Not provably stricter: ", changed.join(", "), ". The terms hold when the gate is next opened after somebody has agreed."),
    drawn("What would change", ["Part of the terms", "Now", "Then"], parts),
    el("p", { class: "field" }, el("label", { for: "why-terms" }, "What do you say to it?"), why),
    el("p", { class: "acts" }, el("button", { class: "main", type: "button", on: { click: () => decide(true) } }, "Agree"), el("button", { type: "button", on: { click: () => decide(false) } }, "Do not agree")));
}

tries(read, { busy: "The changes are read." });
