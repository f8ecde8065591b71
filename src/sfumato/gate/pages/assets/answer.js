// An answer: what was done to it and why, its rows, and a file of it.
import { badge, counted, el, fill, number, one, say, time } from "./dom.js";
import { save } from "./gate.js";
import { levelWords } from "./lattice.js";

const AT_ONCE = 200;

/** Show an answer in its section. `again` asks for the other shapes it could have had. */
export function showAnswer(section, answer, { fields = {}, again = null } = {}) {
  const noisy = Object.keys(answer.noise).length > 0;
  fill(one("h2", section), "Answer ", el("code", {}, answer.query));
  const rows = answer.rows.filter((row) => !isWithheld(row, noisy)).length;
  fill(one("div", section),
    el("p", { class: "badges" }, badge(counted(rows, "row")),
      badge(noisy ? "with noise" : "no noise"),
      answer.as_asked ? badge("as asked", "good") : !noisy && badge("not as asked", "odd"),
      answer.widened && badge("condition widened", "odd"),
      answer.one_each && badge("one row of each person", "odd"),
      answer.withheld > 0 && badge(noisy ? counted(answer.withheld, "group") + " withheld" : counted(answer.withheld, "row") + " withheld", "odd"),
      answer.remembered && badge("answered before")),
    told(answer, fields, noisy),
    rowsOf(answer, noisy),
    el("p", { class: "acts" },
      el("button", { type: "button", id: "csv", on: { click: () => save(new Blob([csv(answer)], { type: "text/csv" }), `${answer.query}.csv`) } }, "Download as CSV"),
      again && !noisy && el("button", { type: "button", on: { click: again } }, "Other shapes of this answer")));
  section.hidden = false;
  one("h2", section).focus();
  say(`Answered: ${counted(rows, "row")}.`);
}

/** Whether a row stands for all groups that are not told of. */
const isWithheld = (row, noisy) => noisy && row.includes("*") && row.slice(0, -1).every((cell) => cell === "*" || cell === null);

function told(answer, fields, noisy) {
  const levels = Object.entries(answer.levels);
  const coarser = levels.filter(([, level]) => level > 0);
  const said = [];
  if (coarser.length) {
    said.push(["Generalised", el("ul", {}, coarser.map(([name, level]) => {
      const steps = fields[name]?.levels.length, words = levelWords(answer.level_names[name], level, steps);
      const inCondition = answer.columns.includes(name) || noisy ? "" : words === "not shown" ? "; a condition on it is met by everybody" : ", in the condition";
      return el("li", {}, el("strong", {}, name), `: ${words}${inCondition}`, steps ? ` (level ${level} of ${steps - 1})` : "");
    }))]);
    said.push(["Why", "Shown more exactly, together with all that was shown before, it would have left some people in a group that is too small or too much alike."]);
  } else if (levels.length) said.push(["Generalised", "Nothing: every field is as you asked for it."]);
  if (answer.widened) said.push(["Condition", "It was widened to whole groups at the levels shown: rows beyond your condition are among the answer's."]);
  if (answer.one_each) said.push(["Rows", "People have several rows here, and one of each is shown, chosen at random once. Ask for a number to learn about all of them, with noise."]);
  if (answer.withheld > 0) {
    said.push(["Withheld", noisy
      ? `${counted(answer.withheld, "group")} of too few people ${answer.withheld === 1 ? "stands" : "stand"} as one row of *.`
      : `${counted(answer.withheld, "row")} whose groups are too small or too much alike; one row stands for all of them.`]);
  }
  if (noisy) {
    said.push(["Noise", el("ul", {}, Object.entries(answer.noise).map(([name, within]) =>
      el("li", {}, el("code", {}, name), ` is off by ${number(within, 1)} or less, 95 times of 100.`)),
    answer.threshold > 0 && el("li", {}, `The answer leaves out groups with a noisy count under ${number(answer.threshold)}, whether or not anybody is in them (delta ${answer.delta}).`),
    answer.cuts.length > 0 && el("li", {}, `Before noise was added, ${answer.cuts.join(", ")}. The error bars do not cover this cut: the number of all rows may be further off.`),
    Object.keys(answer.noise).length > 1 && el("li", {}, "An average is a noisy sum by a noisy count: of few people it can be far off."))]);
  }
  if (answer.left !== null) said.push(["Left", answer.left === 1 ? "One noisy answer of the usual size is left to you." : `${number(answer.left)} noisy answers of the usual size are left to you.`]);
  if (answer.public) said.push(["Public", `Counts of ${answer.public} are public by the policy: the gate claims no k for them, and they cost nothing.`]);
  if (answer.as_of) said.push(["Data", el("span", {}, "As of ", time(answer.as_of), " UTC.")]);
  if (answer.remembered) said.push(["Before", "You asked this before, in these or other words, and got the same answer. It cost nothing."]);
  return el("dl", { class: "told" }, said.flatMap(([name, words]) => [el("dt", {}, name), el("dd", {}, words)]));
}

function rowsOf(answer, noisy) {
  const numeric = answer.columns.map((_, column) => answer.rows.some((row) => typeof row[column] === "number"));
  const kind = (column) => (numeric[column] ? "number" : null);
  const body = el("tbody", {});
  const more = el("button", { type: "button" });
  let shown = 0;
  const go = () => {
    const next = answer.rows.slice(shown, shown + AT_ONCE);
    body.append(...next.map((row) => {
      const withheld = isWithheld(row, noisy), none = withheld ? "*" : "none";
      return el("tr", { class: withheld ? "withheld" : null }, row.map((cell, column) =>
        el("td", { class: [kind(column), cell === null && "none"].filter(Boolean).join(" ") || null }, cell === null ? none : written(cell))));
    }));
    shown += next.length;
    more.hidden = shown >= answer.rows.length;
    more.textContent = `Show more (${number(shown)} of ${number(answer.rows.length)} shown)`;
  };
  more.addEventListener("click", go);
  go();
  const foot = !noisy && answer.withheld > 0 && el("tfoot", {}, el("tr", { class: "withheld" },
    el("td", { colspan: String(Math.max(1, answer.columns.length)) }, `* ${counted(answer.withheld, "row")} withheld`)));
  const head = el("tr", {}, answer.columns.map((name, column) => el("th", { scope: "col", class: kind(column) }, name)));
  return [el("div", { class: "wide tall", tabindex: "0", role: "group", "aria-label": "The rows of the answer" },
    el("table", { class: "rows" }, el("caption", {}, "In an order that says nothing, unless you asked for one."), el("thead", {}, head), body, foot)), more];
}

const written = (cell) => (typeof cell === "number" ? String(Math.round(cell * 1000) / 1000) : String(cell));

/** An answer as a file for spreadsheets: no cell of it can be taken for a formula. */
export function csv(answer) {
  const cell = (value) => {
    if (value === null) return "";
    const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const withheld = answer.withheld > 0 && !Object.keys(answer.noise).length ? [answer.columns.map(() => "*")] : [];
  return [answer.columns, ...answer.rows, ...withheld].map((row) => row.map(cell).join(",") + "\r\n").join("");
}
