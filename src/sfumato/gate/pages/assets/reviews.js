// My reviews: every application that waits for my vote or my decision, whole, with what I may do.
import { el, fill, one, say } from "./dom.js";
import { gets, tries } from "./gate.js";
import { drawApplication } from "./application_view.js";

async function read() {
  const { roles, questions, valid_days: validDays } = await gets("/register"), { reviews } = await gets("/register/reviews");
  const found = [];
  for (const { name } of reviews) found.push(await gets("/register/application", { name }));
  const none = roles.length ? "Nothing waits for you." : "The charter does not name your account, so nothing can wait for you.";
  fill(one("#waiting"), found.length ? found.map((each) => drawApplication(each, { questions, validDays, done: read })) : el("p", { class: "card" }, none));
  say(found.length ? "Some applications wait for you." : none);
}

tries(read, { busy: "Your reviews are read." });
