// Plans: the queries of a project, decided together; how each was answered; a steward's word on another plan.
import { badge, el, fill, number, one, say, table as drawn, time } from "./dom.js";
import { gets, posts, tries } from "./gate.js";

const KINDS = { exact: "good", coarser: "odd", noisy: "", refused: "odd" };
const steward = document.body.dataset.right === "steward";

const split = (text) => text.split(";").map((sql) => sql.trim()).filter(Boolean);
const called = (project) => project.replace(/^person /, "").replace(/^group /, "");

function details({ outcome, shape, within, epsilon, why }) {
  if (outcome === "coarser") return `coarser groups: ask with the shape ${shape}`;
  if (outcome === "noisy") return Object.entries(within).map(([name, off]) => `${name} within ${number(off, 1)}, 95 times of 100`).join("; ") + (epsilon ? ` (epsilon ${number(epsilon, 4)})` : "");
  return outcome === "refused" ? why : "as asked";
}

function card(plan) {
  const rows = plan.outcomes.length
    ? plan.outcomes.map((each) => [el("code", {}, each.sql), badge(each.outcome, KINDS[each.outcome]), details(each)])
    : plan.questions.map((sql) => [el("code", {}, sql), badge("waits"), ""]);
  const decide = (approve) => tries(async () => {
    await posts("/plans/decision", { project: plan.project, approve });
    await read();
  }, { busy: "The plan is solved." });
  return el("section", { class: "card", "aria-label": `Plan ${plan.number} of ${called(plan.project)}` },
    el("h2", {}, `Plan ${plan.number} of ${called(plan.project)} `, badge(plan.status, plan.status === "open" ? "good" : plan.status === "proposed" ? "odd" : "")),
    el("p", {}, el("strong", {}, plan.by), " made it at ", time(plan.time), " UTC", plan.why ? `: ${plan.why}` : ".", plan.decided_by ? ` ${plan.decided_by} answered it.` : ""),
    drawn("What it asks for", ["Query", "Answer", "How"], rows),
    steward && plan.status === "proposed" && el("p", { class: "acts" },
      el("button", { class: "main", type: "button", on: { click: () => decide(true) } }, "Agree"),
      el("button", { type: "button", on: { click: () => decide(false) } }, "Do not agree")));
}

async function read() {
  const { plans } = await gets("/plans");
  fill(one("#plans"), plans.length ? plans.map(card) : el("p", { class: "card" }, "There is no plan yet."));
}

one("#new").addEventListener("submit", (event) => {
  event.preventDefault();
  tries(async () => {
    const project = one("#project").value, why = one("#why").value;
    const made = await posts("/plans", { questions: split(one("#queries").value), why, ...(project ? { project } : {}) });
    one("#queries").value = "";
    await read();
    say(made.status === "open" ? "The plan was answered." : "The plan waits for a steward.");
    one("#plans").scrollIntoView({ block: "nearest" });
  }, { busy: "The plan is solved." });
});
tries(async () => {
  const me = await gets("/me");
  fill(one("#project"), el("option", { value: "" }, "your own"), (me.groups || []).map((name) => el("option", { value: name }, name)));
  await read();
});
