// SQL as far as the pages need it: its words, names with quotes where they need them, and a question made from a form.

export const KEYWORDS = "SELECT FROM WHERE GROUP BY ORDER BY LIMIT AND OR NOT IN BETWEEN LIKE IS NULL AS DISTINCT COUNT SUM AVG MIN MAX HAVING ASC DESC WITH TRUE FALSE".split(" ").filter((word, place, all) => all.indexOf(word) === place);
const RESERVED = new Set([...KEYWORDS, "TABLE", "USER", "END", "CASE", "WHEN", "THEN", "ELSE", "ON", "JOIN", "ALL", "ANY", "TO", "FOR"]);
const PIECES = /(--[^\n]*)|('(?:[^']|'')*'?)|("(?:[^"]|"")*"?)|(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|([\s\S])/g;

/** A query in pieces: [kind, text]. */
export function pieces(sql, names) {
  return [...sql.matchAll(PIECES)].map(([text, comment, string, quoted, digits, word]) => {
    if (comment) return ["comment", text];
    if (string) return ["string", text];
    if (digits) return ["digits", text];
    if (word && RESERVED.has(word.toUpperCase())) return ["keyword", text];
    if (quoted || (word && names.has(word.toLowerCase()))) return ["named", text];
    return ["", text];
  });
}

export const quoted = (name) => (/^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name.toUpperCase()) ? name : `"${name.replaceAll('"', '""')}"`);

export const OPERATORS = [
  ["=", "is"], ["<>", "is not"], ["<", "is less than"], ["<=", "is at most"], [">", "is more than"], [">=", "is at least"],
  ["in", "is one of"], ["is null", "is missing"], ["is not null", "is there"],
];

function constant(text, kind) {
  const trimmed = text.trim();
  const numeric = ["integer", "real"].includes(kind) && /^-?\d+(\.\d+)?$/.test(trimmed);
  return numeric ? trimmed : `'${trimmed.replaceAll("'", "''")}'`;
}

function condition({ field, operator, value, kind }) {
  const name = quoted(field);
  if (operator.startsWith("is")) return `${name} ${operator.toUpperCase()}`;
  if (operator === "in") return `${name} IN (${value.split(",").filter((part) => part.trim()).map((part) => constant(part, kind)).join(", ")})`;
  return `${name} ${operator} ${constant(value, kind)}`;
}

/** The query that a form describes; nothing where it is not whole yet. */
export function sqlOf({ table, what, fields, measure, conditions }) {
  const whole = conditions.filter((each) => each.operator.startsWith("is") || each.value.trim());
  const names = fields.map(quoted);
  if (!table || (what === "rows" && !names.length)) return "";
  const shown = what === "rows" ? names : [...names, measure];
  const where = whole.length ? `\nWHERE ${whole.map(condition).join("\n  AND ")}` : "";
  const groups = what === "groups" && names.length ? `\nGROUP BY ${names.join(", ")}` : "";
  return `SELECT ${shown.join(", ")}\nFROM ${quoted(table)}${where}${groups}`;
}

/** What a form can count: rows, and sums and averages of fields that are numbers. */
export function measures(fields) {
  const numbers = fields.filter(({ kind }) => ["integer", "real"].includes(kind)).map(({ name }) => name);
  return [["COUNT(*) AS n", "how many rows"],
    ...numbers.map((name) => [`AVG(${quoted(name)}) AS ${quoted(`average_${name}`)}`, `the average of ${name}`]),
    ...numbers.map((name) => [`SUM(${quoted(name)}) AS ${quoted(`sum_${name}`)}`, `the sum of ${name}`])];
}
