// Asking: in SQL or with a form, a look first, the lattice to choose from, the answer.
import { fill, one, tabs } from "./dom.js";
import { Refusal, posts, tries } from "./gate.js";
import { catalogue, showCatalogue } from "./catalogue.js";
import { showAnswer } from "./answer.js";
import { editor } from "./editor.js";
import { questionForm } from "./form.js";
import { showOffer } from "./lattice.js";
import { quoted } from "./words.js";

const offer = one("#offer"), answer = one("#answer");
let way = "tab-sql";

tries(async () => {
  const tables = await catalogue();
  const form = questionForm(one("#panel-form"), tables);
  const written = editor(one(".editor"), { tables, asks: () => ask() });
  const fields = Object.assign({}, ...tables.map((table) => table.byName));
  const asked = () => (way === "tab-sql" ? written.sql : form.sql);

  const sends = (path, more = {}) => pointing(async () => {
    const sql = asked();
    if (!sql.trim()) throw new Refusal({ code: "empty", message: "There is no question yet.", attempt: "a query, or some fields of the form." });
    const epsilon = Number(one("#epsilon").value);
    return posts(path, { sql, ...(epsilon > 0 ? { epsilon } : {}), ...more });
  });
  const pointing = async (does) => {
    try {
      return await does();
    } catch (refused) {
      if (refused.told?.place && way === "tab-sql") written.point(refused.told.place);
      throw refused;
    }
  };
  const clear = () => { for (const section of [offer, answer]) section.hidden = true; };
  const ask = (more) => tries(async () => {
    clear();
    showAnswer(answer, await sends("/ask", more), { fields, again: look });
  });
  const look = () => tries(async () => {
    clear();
    showOffer(offer, await sends("/look"), { fields, choose: (shape) => ask({ shape: shape.shape, mode: "exact" }), noisy: () => ask({ mode: "noisy" }) });
  });

  showCatalogue(one("#catalogue"), tables, (name) => written.put(name));
  if (tables.length) {
    const [table] = tables, first = table.fields.slice(0, 3).map(({ name }) => quoted(name));
    written.sql = `SELECT ${first.join(", ")}\nFROM ${quoted(table.name)}\n`;
  }
  tabs(one("[role=tablist]"), (chosen) => {
    if (chosen === "tab-sql" && way === "tab-form" && form.sql) written.sql = form.sql;
    way = chosen;
  });
  one("#ask").addEventListener("click", () => ask());
  one("#look").addEventListener("click", look);
  fill(one("#refusal"));
}, { busy: "The catalogue is read." });
