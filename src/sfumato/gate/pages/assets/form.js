// A question without SQL: a table, fields or groups, and conditions. It is SQL in the end, and shows it.
import { all, badge, el, fill, one } from "./dom.js";
import { ROLES } from "./catalogue.js";
import { OPERATORS, measures, sqlOf } from "./words.js";

export function questionForm(form, tables) {
  const choice = one("#of-table", form), boxes = one("#of-fields .boxes", form), rows = one(".conditions", form);
  const table = () => tables.find(({ name }) => name === choice.value);
  const what = () => form.elements.what.value;

  const described = () => ({
    table: choice.value,
    what: what(),
    fields: all("input:checked", boxes).map((box) => box.value),
    measure: one("#measure", form).value,
    conditions: all(".condition", rows).map((row) => ({
      field: one(".field-is", row).value, operator: one(".operator", row).value, value: one(".value", row).value,
      kind: table().byName[one(".field-is", row).value].kind,
    })),
  });
  const paint = () => {
    const groups = what() === "groups";
    one("#of-fields legend", form).textContent = groups ? "For each" : "Fields to show";
    one("#of-measure", form).hidden = !groups;
    for (const row of all(".condition", rows)) one(".value", row).hidden = one(".operator", row).value.startsWith("is");
    one("#as-sql", form).textContent = sqlOf(described()) || "Choose a field.";
  };
  const setTable = () => {
    const { fields } = table();
    fill(boxes, fields.map((field) => el("label", {}, el("input", { type: "checkbox", value: field.name }), " ", field.name, " ", badge(ROLES[field.role], field.role))));
    fill(one("#measure", form), measures(fields).map(([value, words]) => el("option", { value }, words)));
    fill(rows);
    paint();
  };
  const addCondition = () => {
    const count = rows.children.length + 1;
    const row = el("div", { class: "condition", role: "group", "aria-label": `Condition ${count}` },
      el("select", { class: "field-is", "aria-label": "Field" }, table().fields.map(({ name }) => el("option", {}, name))),
      el("select", { class: "operator", "aria-label": "How it compares" }, OPERATORS.map(([value, words]) => el("option", { value }, words))),
      el("input", { class: "value", "aria-label": "Value; several with commas between", autocomplete: "off" }),
      el("button", { type: "button", on: { click: () => { row.remove(); paint(); one("#more", form).focus(); } } }, "Remove"));
    rows.append(row);
    one("select", row).focus();
    paint();
  };
  fill(choice, tables.map(({ name }) => el("option", {}, name)));
  choice.addEventListener("change", setTable);
  one("#more", form).addEventListener("click", addCondition);
  form.addEventListener("input", paint);
  form.addEventListener("submit", (event) => event.preventDefault());
  if (tables.length) setTable();
  return { get sql() { return tables.length ? sqlOf(described()) : ""; } };
}
