// My reviews: every application that waits for my vote or my decision, whole, with what I may do; and revelations to agree to.
import { el, fill, one, say, time } from "./dom.js";
import { gets, tries } from "./gate.js";
import { drawApplication, field, signs } from "./application_view.js";
import { sendMove } from "./register_moves.js";

async function read() {
  const { roles, questions, valid_days: validDays } = await gets("/register"), { reviews } = await gets("/register/reviews");
  const found = [];
  for (const { name } of reviews) found.push(await gets("/register/application", { name }));
  const { revelations } = await gets("/register/revelations");
  const none = roles.length ? "Nothing waits for you." : "The charter does not name your account, so nothing can wait for you.";
  const waiting = [...found.map((each) => drawApplication(each, { questions, validDays, done: read })), ...revelations.map(drawRevelation)];
  fill(one("#waiting"), waiting.length ? waiting : el("p", { class: "card" }, none));
  say(waiting.length ? "Something waits for you." : none);
}

/** One pseudonym that somebody asked to reveal, with a form to agree. Nobody sees here whose it is. */
function drawRevelation({ name, field: of, asked_by: who, reason, since }) {
  const id = `reveal-${name.replace(/[^\w-]+/g, "-")}`, why = el("textarea", { id: `${id}-reason`, rows: "3", maxlength: "5000", required: true });
  return el("section", { class: "card", "aria-label": `Revelation ${name}` },
    el("h2", { tabindex: "-1" }, "A pseudonym of ", of),
    el("p", {}, el("strong", {}, who), " asked at ", time(since), " UTC to reveal whose it is: ", reason),
    el("div", { class: "acting" }, signs("Your agreement", id, field("Reason", why), { Agree: async () => {
      await sendMove("revelation", { revelation: name, step: "agree", reason: why.value });
      await read();
      say("You agreed to the revelation.");
    } }, "Without your agreement nothing is revealed. Whoever asked may then reveal this one pseudonym, once.")));
}

tries(read, { busy: "Your reviews are read." });
