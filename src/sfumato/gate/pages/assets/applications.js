// Applications: all of them, or one's own; one of them whole; and a form for a new one.
import { el, fill, one, say, table, time } from "./dom.js";
import { gets, tries } from "./gate.js";
import { drawApplication, field, signs, stateOf } from "./application_view.js";
import { sendMove } from "./register_moves.js";

const who = document.body.dataset.who;

async function read() {
  const { applications } = await gets("/register/applications");
  const rows = applications.map((each) => [el("button", { class: "put", type: "button", on: { click: () => tries(() => show(each.name)) } }, each.name), stateOf(each), each.group, each.applicant, time(each.since.slice(0, 10))]);
  fill(one("#entries"), rows.length ? table("Applications", ["Name", "State", "For", "By", "Since"], rows, { quiet: true }) : el("p", {}, "Nobody has applied yet."));
  say(`${rows.length} applications are listed.`);
}

async function show(name) {
  const found = await gets("/register/application", { name }), { questions, valid_days: validDays } = await gets("/register");
  fill(one("#one"), drawApplication(found, { questions, validDays, done: async (of) => { await read(); await show(of); } }));
  one("#one h2").focus();
}

function form({ questions, sharing }) {
  const input = (key) => (key === "sharing" ? el("select", { id: `answer-${key}` }, sharing.map((each) => el("option", {}, each))) : el("textarea", { id: `answer-${key}`, rows: "2", maxlength: "5000", required: true }));
  const named = el("input", { id: "new-name", maxlength: "100", required: true, autocomplete: "off" });
  const group = el("input", { id: "new-group", maxlength: "100", required: true, autocomplete: "off" });
  const fields = [
    field("Name of the application", named), field("Group that would receive it", group),
    Object.entries(questions).map(([key, asks]) => field(asks, input(key))),
  ];
  return signs("Answers", "new", fields.flat(), { "Sign and apply": async (of) => {
    const answers = Object.fromEntries(Object.keys(questions).map((key) => [key, one(`#answer-${key}`, of).value]));
    const name = named.value.trim();
    await sendMove("application", { application: name, group: group.value.trim(), answers });
    of.reset();
    await read();
    await show(name);
    say("The application is recorded.");
  } }, `You sign as ${who}, the name that the charter has for you.`);
}

tries(async () => {
  const me = await gets("/register");
  if (me.roles.includes("applicant")) {
    fill(one("#applying"), form(me));
    one("#new").hidden = false;
  }
  await read();
}, { busy: "The applications are read." });
