// The catalogue of releases: who holds what since when, and what each group can learn from all of it.
import { badge, el, fill, one, say, table, time } from "./dom.js";
import { gets, tries } from "./gate.js";

const COLOURS = { pass: ["green", "good"], review: ["amber", "odd"], fail: ["red", "bad"] };

// Many fields are folded up: the first few, and how many there are.
const listed = (names) => (names.length <= 6 ? names.join(", ") : el("details", {}, el("summary", {}, `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`), names.slice(3).join(", ")));

async function read() {
  const { releases, verdicts } = await gets("/register/releases");
  fill(one("#groups"), verdicts.length ? table("What each group holds", ["Group", "Verdict", "Because"], verdicts.map((each) => [each.group, badge(...(COLOURS[each.outcome] || [each.outcome])), each.reason]), { quiet: true }) : el("p", {}, "No group holds anything yet."));
  fill(one("#entries"), releases.length ? table("Releases", ["Release", "Held by", "Since", "Known fields", "Sensitive", "Digest"], releases.map((each) => [
    [each.name, each.imported && [" ", badge("released before")], each.imported && !each.confirmed && [" ", badge("unconfirmed", "odd")], each.leaked && [" ", badge("leaked", "bad")]],
    [each.recipients.join(", "), each.recipients.join() !== each.group && ` (${each.group})`], time(each.since.slice(0, 10)), each.fields.length ? listed(each.fields) : "not recorded", listed(each.sensitive), el("code", {}, each.digest.slice(0, 16)),
  ]), { quiet: true }) : el("p", {}, "Nothing was released yet."));
  say("The catalogue is read.");
}

tries(read, { busy: "The catalogue is read." });
