// Tables: fields into those that never leave, that others may know and that are protected; conditions; versions; changes.
import { all, badge, counted, el, fill, number, one, say, table as drawn, tabs, time } from "./dom.js";
import { gets, posts, tries } from "./gate.js";
import { drawing, levels } from "./hierarchies.js";

const SORTS = { direct: ["ID", "never released", "never"], text: ["ID", "never released: free text", "never"], quasi: ["EK", "others may know it", "known"], sensitive: ["U", "protected, sensitive", "protected"], insensitive: ["U", "protected, not sensitive", "protected"] };
const ROLES = { direct: "ID: names people, never released", text: "free text, never released", quasi: "EK: others may know it", sensitive: "U: protected, sensitive", insensitive: "U: protected, not sensitive" };
const choice = one("#of-table"), change = one("#change");
let tables = [], version = null, way = "tab-fields";

const of = () => `/tables/${encodeURIComponent(choice.value)}/policies`;
const plain = (value) => (Array.isArray(value) ? value.map(plain).join(", ") : value && typeof value === "object" ? Object.entries(value).map(([name, inner]) => `${name} ${plain(inner)}`).join("; ") : String(value));

async function read() {
  const told = tables.find(({ name }) => name === choice.value);
  one("#facts").textContent = `${counted(told.rows, "row")}, ${told.people === 1 ? "1 person" : `${number(told.people)} people`}, version ${told.version} of the policy; ${told.shown ? "parts of it have been shown" : "nothing of it has been shown yet"}.`;
  fill(one("#age"), told.as_of ? [`State ${told.state}, read from the source at `, time(told.as_of), " UTC."] : "The gate keeps no rows of its own: the table is as it was when the gate was opened, and may not change.");
  one("#reloading").hidden = !told.as_of || !["administrator", "steward"].includes(document.body.dataset.right);
  const { versions } = await gets(of());
  version = await gets(`${of()}/${told.version}`);
  const { fields, require, recipient = {} } = version.as_table;
  const order = (name) => Object.keys(SORTS).indexOf(fields[name].role);
  fill(one("#fields"), drawn("Every field and what it is", ["Field", "Sort", "What that means", "Coarser levels"],
    Object.keys(fields).sort((one, other) => order(one) - order(other)).map((name) => {
      const [sort, words, kind] = SORTS[fields[name].role] || ["?", fields[name].role, ""];
      const { role, hierarchy } = fields[name];
      const coarser = role !== "quasi" ? "" : hierarchy?.tree ? "a tree" : levels(hierarchy || { suppress: true }).slice(1).join(", ");
      return [name, badge(sort, kind), words, el("span", { class: "fine" }, coarser)];
    }), { quiet: true }));
  fill(one("#hierarchies"), Object.entries(fields).filter(([, { role }]) => role === "quasi").map(([name, { hierarchy }]) => drawing(name, hierarchy)));
  fill(one("#conditions"), drawn("What every class of people must keep to", ["Condition", "Value"], Object.entries(require).map(([name, value]) => [name, plain(value)])),
    drawn("Who may receive answers", ["Profile", "Who that is", "Links on"], Object.entries(recipient).map(([name, { description = "", linking, default_linking }]) => [name, description, linking ? plain(linking) : `every field, ${plain(default_linking)}`])));
  fill(one("#versions"), drawn("The newest first", ["Version", "State", "By", "When", "What changed", "Why", "Decided by"], versions.map((each) => [
    String(each.version), badge(each.status, each.status === "in force" ? "good" : each.status === "proposed" ? "odd" : ""), each.by, time(each.time), each.says, each.why, each.decided_by])));
  changing(fields, require);
}

/** The form for a change: a role for each field, a number for each condition that is one. */
function changing(fields, require) {
  change.hidden = document.body.dataset.right !== "administrator";
  one("#policy").value = version.policy;
  fill(one("#panel-fields div"),
    el("div", { class: "row" }, Object.entries(fields).map(([name, { role }]) => el("p", { class: "field" }, el("label", { for: `role-${name}` }, name),
      el("select", { id: `role-${name}`, "data-field": name, "data-was": role }, Object.entries(ROLES).map(([value, words]) => el("option", { value, selected: value === role }, words)))))),
    el("div", { class: "row" }, Object.entries(require).filter(([, value]) => typeof value === "number").map(([name, value]) => el("p", { class: "field" }, el("label", { for: `require-${name}` }, `condition ${name}`),
      el("input", { id: `require-${name}`, type: "number", step: "any", value: String(value), "data-require": name, "data-was": String(value) })))),
    el("p", { class: "fine" }, "Hierarchies and other conditions are changed in the text."));
}

function changes() {
  const out = {};
  for (const each of all("#panel-fields [data-was]").filter((box) => box.value !== box.dataset.was)) {
    if (each.dataset.field) (out.fields ??= {})[each.dataset.field] = { role: each.value };
    else (out.require ??= {})[each.dataset.require] = Number(each.value);
  }
  return out;
}

one("form", change).addEventListener("submit", (event) => {
  event.preventDefault();
  tries(async () => {
    const given = way === "tab-fields" ? { changes: changes() } : { policy: one("#policy").value };
    const made = await posts(of(), { ...given, why: one("#why").value });
    one("#why").value = "";
    ({ tables } = await gets("/tables"));
    await read();
    const said = made.status === "proposed" ? "It waits for a second person to agree." : "It holds from now on.";
    fill(one("#refusal"), el("div", { class: "notice" }, el("p", {}, el("strong", {}, `Version ${made.version} was made. `), said)));
    one("#refusal").scrollIntoView({ block: "nearest" });
    say(said);
  });
});
const persons = (count) => (count === 1 ? "1 person" : `${number(count)} people`);
function told(report) {
  const parts = [];
  if (report.waiting !== null) parts.push(`${persons(report.waiting)} wait to join; ${persons(report.staying)} wait to leave.`);
  if (report.away) parts.push(`${persons(report.away)} of the source were erased, or left with somebody erased, and never join.`);
  if (report.not_held) parts.push(`The gate held no row of ${persons(report.not_held)} of those named.`);
  if (report.noise_only) parts.push("Exact answers about these tables have ended.");
  return parts.map((part) => ` ${part}`).join("");
}
async function changed(report, verb) {
  ({ tables } = await gets("/tables"));
  await read();
  const said = `${verb} ${report.tables.join(", ")}: ${persons(report.joined)} joined, ${persons(report.left)} left.${told(report)}`;
  fill(one("#reloaded"), el("div", { class: "notice" }, el("p", {}, said)));
  say(said);
}
one("#reload").addEventListener("click", () => tries(async () => {
  await changed(await posts(`/tables/${encodeURIComponent(choice.value)}/reload`, undefined), "Reloaded");
}, { busy: "The source is read." }));
one("#erase").addEventListener("submit", (event) => {
  event.preventDefault();
  tries(async () => {
    const people = one("#people").value.split(",").map((key) => key.trim()).filter(Boolean);
    const report = await posts(`/tables/${encodeURIComponent(choice.value)}/erasures`, { people, why: one("#erase-why").value, noise_only: one("#noise-only").checked });
    one("#people").value = one("#erase-why").value = "";
    one("#noise-only").checked = false;
    await changed(report, "Erased from");
  });
});
tabs(one("[role=tablist]"), (chosen) => { way = chosen; });
choice.addEventListener("change", () => tries(read));
tries(async () => {
  ({ tables } = await gets("/tables"));
  fill(choice, tables.map(({ name }) => el("option", {}, name)));
  if (tables.length) await read();
}, { busy: "The tables are read." });
