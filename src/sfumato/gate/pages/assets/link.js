// Linking: records from a file or pasted, what of them would be linked on, a preview, the answer.
import { all, badge, counted, el, fill, one, table as drawn } from "./dom.js";
import { Refusal, posts, tries } from "./gate.js";
import { ROLES, catalogue } from "./catalogue.js";
import { showAnswer } from "./answer.js";
import { showOffer } from "./lattice.js";

const offer = one("#offer"), answer = one("#answer"), file = one("#file"), pasted = one("#pasted");
const SHOWN = 3;

/** The first lines of a table as text: names, some rows, how many there are. Tabs, semicolons or commas stand between. */
export function firstLines(text) {
  const head = text.slice(0, (text.indexOf("\n") + 1 || text.length + 1) - 1);
  const between = ["\t", ";", ","].find((mark) => head.includes(mark)) || ",";
  const rows = [[""]], marks = text.replaceAll("\r\n", "\n");
  let inQuotes = false;
  for (let place = 0; place < marks.length; place += 1) {
    const row = rows.at(-1), mark = marks[place];
    if (mark === '"' && inQuotes && marks[place + 1] === '"') { row[row.length - 1] += mark; place += 1; }
    else if (mark === '"') inQuotes = !inQuotes;
    else if (mark === between && !inQuotes) row.push("");
    else if (mark === "\n" && !inQuotes) rows.push([""]);
    else row[row.length - 1] += mark;
  }
  const whole = rows.filter((row) => row.length > 1 || row[0].trim());
  return { between, names: (whole[0] || []).map((name) => name.trim()), rows: whole.slice(1) };
}

tries(async () => {
  const tables = await catalogue();
  const choice = one("#of-table");
  const table = () => tables.find(({ name }) => name === choice.value);
  let brought = null, parsed = null;

  const box = (field, sort) => el("label", {}, el("input", { type: "checkbox", value: field.name }), " ", field.name, " ", sort && badge(ROLES[field.role], field.role));
  const setTable = () => {
    const { fields } = table();
    fill(one("#on .boxes"), fields.filter(({ role }) => role === "known").map((field) => box(field, false)));
    fill(one("#show .boxes"), fields.map((field) => box(field, true)));
    match();
  };
  const match = () => {
    if (!parsed) return;
    for (const each of all("#on input")) each.checked = parsed.names.includes(each.value);
  };
  const chosen = (id) => all(`${id} input:checked`).map(({ value }) => value);
  const see = async () => {
    for (const section of [offer, answer]) section.hidden = true;
    brought = file.files[0] || (pasted.value.trim() ? new File([pasted.value], "pasted.csv") : null);
    parsed = null;
    const place = one("#seen");
    if (!brought) return fill(place);
    const starts = new Uint8Array(await brought.slice(0, 4).arrayBuffer());
    if (String.fromCharCode(...starts) === "PAR1") return fill(place, el("p", {}, `A Parquet file of ${counted(brought.size, "byte")}: the gate reads which fields it has.`));
    parsed = firstLines(await brought.slice(0, 1 << 20).text());
    if (parsed.between === ";" || parsed.between === "\t") brought = new File([commas(await brought.text())], "brought.csv");
    match();
    const known = new Set(table().fields.filter(({ role }) => role === "known").map(({ name }) => name));
    const heads = parsed.names.map((name) => [name, known.has(name) ? " · can be linked on" : ""].join(""));
    const atLeast = brought.size > 1 << 20 ? " at least" : "";
    const many = parsed.rows.length > SHOWN ? ` Here are the first ${SHOWN}.` : "";
    return fill(place, drawn(`${counted(parsed.rows.length, "record")}${atLeast}.${many}`, heads, parsed.rows.slice(0, SHOWN), { first: "td" }));
  };
  const commas = (text) => {
    const { names, rows } = firstLines(text);
    return [names, ...rows].map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")).join("\n");
  };
  const sends = async (more) => {
    const form = new FormData(), on = chosen("#on"), show = chosen("#show");
    if (!brought) throw new Refusal({ code: "empty", message: "There are no records yet.", attempt: "a file, or a table that you paste." });
    if (!on.length) throw new Refusal({ code: "link-fields", message: "No field to link on is chosen.", attempt: "one that your records have and others may know." });
    if (!show.length) throw new Refusal({ code: "link-fields", message: "No field to show is chosen.", attempt: "a field that you would like to know." });
    form.append("table", choice.value);
    for (const name of on) form.append("on", name);
    for (const name of show) form.append("show", name);
    form.append("file", brought, brought.name);
    for (const [name, value] of Object.entries(more)) form.append(name, value);
    return posts("/link", form);
  };
  const link = (more = {}) => tries(async () => {
    for (const section of [offer, answer]) section.hidden = true;
    showAnswer(answer, await sends(more), { fields: table().byName, again: look });
  });
  const look = () => tries(async () => {
    for (const section of [offer, answer]) section.hidden = true;
    showOffer(offer, await sends({ preview: "true" }), { fields: table().byName, choose: (shape) => link({ shape: shape.shape }), noisy: null });
    one("div", offer).prepend(el("p", {}, "Linked on ", el("strong", {}, chosen("#on").join(", ")), "; shown of the same people: ", el("strong", {}, chosen("#show").join(", ") || "no further field"), "."));
  });

  fill(choice, tables.map(({ name }) => el("option", {}, name)));
  choice.addEventListener("change", setTable);
  file.addEventListener("change", () => { pasted.value = ""; see(); });
  pasted.addEventListener("input", () => { file.value = ""; see(); });
  one("#brought").addEventListener("submit", (event) => event.preventDefault());
  one("#look").addEventListener("click", look);
  one("#ask").addEventListener("click", () => link());
  if (tables.length) setTable();
}, { busy: "The catalogue is read." });
