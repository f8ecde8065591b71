// What ends, and what waits for an answer; the earliest first.
import { badge, el, fill, one, say, table, time } from "./dom.js";
import { gets, tries } from "./gate.js";

const NEAR = { ended: ["ended", "bad"], "7 days": ["within 7 days", "odd"], "30 days": ["within 30 days", ""], later: ["later", ""] };

async function read() {
  const { due } = await gets("/register/due", { days: one("#days").value });
  fill(one("#entries"), due.length ? table("What is due", ["Day", "What", "Of"], due.map((each) => [[el("div", {}, time(each.until)), badge(...NEAR[each.urgency])], each.what, each.of]), { quiet: true }) : el("p", {}, "Nothing ends in this time."));
  say("The list is read.");
}

one("#days").addEventListener("change", () => tries(read));
tries(read, { busy: "What is due is read." });
