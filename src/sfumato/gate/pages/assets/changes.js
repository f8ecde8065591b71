// For the board: changes that wait, what they change, and agreeing or not.
import { el, fill, one, say, time } from "./dom.js";
import { gets, posts, tries } from "./gate.js";

/** Lines that went and came, with a little of what stayed around them. */
export function differences(before, after) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const longest = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) for (let j = now.length - 1; j >= 0; j -= 1) longest[i][j] = old[i] === now[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
  const out = [];
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    if (i < old.length && j < now.length && old[i] === now[j]) { out.push([" ", old[i]]); i += 1; j += 1; }
    else if (j >= now.length || (i < old.length && longest[i + 1][j] >= longest[i][j + 1])) { out.push(["-", old[i]]); i += 1; }
    else { out.push(["+", now[j]]); j += 1; }
  }
  return out.filter((_, place) => out.slice(Math.max(0, place - 2), place + 3).some(([sign]) => sign !== " "));
}

async function read() {
  const { tables } = await gets("/tables"), waiting = [];
  for (const table of tables) {
    const of = `/tables/${encodeURIComponent(table.name)}/policies`, { versions } = await gets(of);
    const holds = await gets(`${of}/${table.version}`);
    for (const each of versions.filter(({ status }) => status === "proposed")) waiting.push(card(table.name, await gets(`${of}/${each.version}`), holds, of));
  }
  fill(one("#waiting"), waiting.length ? waiting : el("p", { class: "card" }, "No change waits."));
  say(waiting.length ? `${waiting.length} changes wait.` : "No change waits.");
}

function card(table, version, holds, of) {
  const id = `why-${table}-${version.version}`;
  const why = el("input", { id, maxlength: "2000" });
  const decide = (approve) => tries(async () => { await posts(`${of}/${version.version}/decision`, { approve, why: why.value }); await read(); });
  const lines = differences(holds.policy, version.policy).map(([sign, line]) => el("span", { class: { "+": "came", "-": "went" }[sign] || "stayed" }, `${sign} ${line}\n`));
  return el("section", { class: "card", "aria-label": `Version ${version.version} of ${table}` },
    el("h2", {}, table, ", version ", String(version.version)),
    el("p", {}, el("strong", {}, version.by), " proposed it at ", time(version.time), ". Changed: ", el("code", {}, version.says), "."),
    el("p", {}, el("strong", {}, "Why: "), version.why || "no reason was given."),
    el("pre", { class: "differences", tabindex: "0", "aria-label": "What goes and what comes" }, lines),
    el("p", { class: "field" }, el("label", { for: id }, "What do you say to it?"), why),
    el("p", { class: "acts" }, el("button", { class: "main", type: "button", on: { click: () => decide(true) } }, "Agree"), el("button", { type: "button", on: { click: () => decide(false) } }, "Do not agree")));
}

tries(read, { busy: "The changes are read." });
