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

/** One row for each part that differs. A long name breaks after a dot. */
const compared = (before, after) => differences(before, after).map(([name, now, then]) => [
  el("code", {}, ...name.split(".").flatMap((part, at) => (at ? [".", el("wbr"), part] : [part]))),
  el("span", { class: "went" }, written(now)), el("span", { class: "came" }, written(then)),
]);

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
  const none = el("p", { class: "card" }, "No change waits for an answer. A change that is not provably stricter appears here until a second person agrees to it.");
  fill(one("#waiting"), waiting.length ? waiting : none);
  say(waiting.length ? `${counted(waiting.length, "change waits", "changes wait")}.` : "No change waits.");
}

const counted = (number, single, several) => `${number} ${number === 1 ? single : several}`;

/** Send an answer and read the changes again; where the gate refuses, its reason is shown beside what is current. */
const answers = (place, answer) => tries(async () => {
  try {
    await posts(place, answer);
  } finally {
    await read();
  }
});

function card(table, version, holds, of) {
  const id = `why-${table}-${version.version}`;
  const why = el("input", { id, maxlength: "2000" });
  const decide = (approve) => answers(`${of}/${version.version}/decision`, { approve, why: why.value });
  const parts = compared(holds.as_table, version.as_table);
  return el("section", { class: "card", "aria-label": `Version ${version.version} of ${table}` },
    el("h2", {}, "Policy of ", table, ", version ", String(version.version)),
    el("p", {}, el("strong", {}, version.by), " proposed this change at ", time(version.time), " UTC."),
    el("p", {}, el("strong", {}, "Reason: "), version.why || "none was given."),
    drawn(`${counted(parts.length, "part of the policy", "parts of the policy")} would change`, ["Part", "In force", "Proposed"], parts),
    el("details", {}, el("summary", {}, "The whole policy as proposed"), el("pre", { class: "policy", tabindex: "0" }, version.policy)),
    el("p", { class: "field" }, el("label", { for: id }, "Your reason, for the audit (optional)"), why),
    el("p", { class: "acts" }, el("button", { class: "main", type: "button", on: { click: () => decide(true) } }, "Agree"), el("button", { type: "button", on: { click: () => decide(false) } }, "Do not agree")));
}

/** Terms that gate.toml says and that do not hold yet. */
function ofTerms({ held, proposed, changed }) {
  const why = el("input", { id: "why-terms", maxlength: "2000" });
  const decide = (approve) => answers("/terms/decision", { approve, why: why.value });
  const parts = compared(held, proposed);
  return el("section", { class: "card", "aria-label": "Terms of the gate's file" },
    el("h2", {}, "Terms of the gate's file"),
    el("p", {}, "Somebody changed the file. These parts are not provably stricter: ", changed.join(", "), "."),
    el("p", {}, "After a second person agrees, the new terms hold when the gate is next opened."),
    drawn(`${counted(parts.length, "part of the terms", "parts of the terms")} would change`, ["Part", "In force", "Proposed"], parts),
    el("p", { class: "field" }, el("label", { for: "why-terms" }, "Your reason, for the audit (optional)"), why),
    el("p", { class: "acts" }, el("button", { class: "main", type: "button", on: { click: () => decide(true) } }, "Agree"), el("button", { type: "button", on: { click: () => decide(false) } }, "Do not agree")));
}

tries(read, { busy: "The changes are read." });
