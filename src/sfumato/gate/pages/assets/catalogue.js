// What may be asked about: tables and fields as this person's profile has them.
import { badge, el, fill } from "./dom.js";
import { gets } from "./gate.js";

export const ROLES = { known: "others may know it", protected: "protected" };

/** The catalogue, with the fields of each table by name too. */
export async function catalogue() {
  const { tables } = await gets("/catalogue");
  for (const table of tables) table.byName = Object.fromEntries(table.fields.map((field) => [field.name, field]));
  return tables;
}

/** The catalogue to read; a click on a name puts it where it is wanted. */
export function showCatalogue(place, tables, put) {
  if (!tables.length) fill(place, el("p", {}, "Your profile has no table."));
  else fill(place, tables.map((table) => el("section", { class: "of-table", "aria-label": `Table ${table.name}` },
    el("h3", {}, el("button", { type: "button", class: "put", title: "Put into the query", on: { click: () => put(table.name) } }, table.name)),
    el("ul", { class: "fields" }, table.fields.map((field) => el("li", {},
      el("button", { type: "button", class: "put", title: "Put into the query", on: { click: () => put(field.name) } }, field.name), " ",
      badge(ROLES[field.role], field.role), " ", field.kind !== "text" && el("span", { class: "fine" }, field.kind)))),
    table.never.length > 0 && el("p", { class: "fine" }, "Never released: ", table.never.join(", "), "."),
    el("p", { class: "fine promise" }, table.promise))));
}
