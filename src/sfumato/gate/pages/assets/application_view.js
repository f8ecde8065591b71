// One application: what was answered, the policy, the assessment with the ledger beside it, and what a member may do about it.
import { badge, el, one, say, table, time } from "./dom.js";
import { save, tries } from "./gate.js";
import { chooseKey, readVote, seal, sendMove } from "./register_moves.js";

const COLOURS = { pass: "good", review: "odd", fail: "bad" };
const STATES = {
  applied: "waits for a policy", submitted: "waits for votes", sealed: "all have voted; votes are being opened", reviewed: "waits for the decision",
  approved: "approved", refused: "refused", delivered: "delivered", withdrawn: "withdrawn",
};
export const stateOf = ({ state, step }) => [STATES[state] || state, ["submitted", "sealed", "reviewed", "approved"].includes(state) && ` (${step})`];
const verdict = (outcome) => badge({ pass: "green", review: "amber", fail: "red" }[outcome] || outcome, COLOURS[outcome] || "");
const pairs = (entries) => el("dl", { class: "told" }, entries.filter(([, what]) => what !== null && what !== "" && what !== undefined && what !== false).flatMap(([name, what]) => [el("dt", {}, name), el("dd", {}, what)]));

/** The whole of an application as an element. `questions` are those of the form; `done` is called after a move. */
export function drawApplication(found, { questions, validDays, done }) {
  return el("section", { class: "card application", "aria-label": `Application ${found.name}` },
    el("h2", { tabindex: "-1" }, found.name),
    el("p", {}, badge(found.group, "known"), " ", stateOf(found), "; ", el("strong", {}, found.applicant), " applied at ", time(found.since), " UTC."),
    found.ledger_changed && el("p", { class: "notice" }, "The group received something since this was submitted: votes are void until it is submitted again."),
    el("div", { class: "halves" }, judged(found), ledger(found)),
    el("details", { open: true }, el("summary", {}, "What was answered"), pairs(Object.entries(questions).map(([key, asks]) => [asks, found.answers[key]]))),
    agreement(found.agreement), policy(found), votes(found), decision(found), acts(found, validDays, done));
}

function judged({ candidate, assessment, maker, assessed_again_by: again }) {
  if (assessment === undefined) return el("div", {});
  const asked = assessment.judgements || [];
  return el("div", {}, el("h3", {}, "Assessment of the candidate"),
    candidate ? el("p", {}, el("strong", {}, maker), " submitted ", el("code", {}, candidate.slice(0, 16)), ".") : el("p", {}, "No candidate was submitted yet."),
    candidate && !asked.length && el("p", {}, badge("not assessed", "bad"), " Nobody assessed it, so it cannot be approved."),
    asked.length > 0 && el("p", {}, again ? ["Made by ", maker, ", and made again by ", el("strong", {}, again), " with no worse answers before it was delivered."]
      : [badge("not verified", "odd"), " ", el("strong", {}, maker), " signs for these answers. Whoever delivers makes the assessment again; where it is worse, nothing is delivered."]),
    asked.length > 0 && table("Questions of the assessment", ["Question", "Verdict"], asked.map((each) => [each.question, verdict(each.outcome)]), { quiet: true }));
}

function ledger({ verdict: after, holds, held, group, maker, assessed_again_by: again }) {
  if (after === undefined) return el("div", {});
  const judgedWith = Object.entries(after);
  return el("div", {}, el("h3", {}, "The ledger: all that ", group, " holds"),
    holds ? el("p", {}, "Now ", verdict(holds.outcome), " ", held.join(", "), ": ", holds.reason, ".") : el("p", {}, "This group holds nothing yet."),
    judgedWith.map(([of, each]) => el("p", {}, "With the candidate, ", of, " ", verdict(each.outcome), ": ", each.reason, ".")),
    judgedWith.length > 0 && !again && el("p", {}, badge("not verified", "odd"), " ", el("strong", {}, maker), " signs for this verdict. The delivery judges again; where it is worse, nothing is delivered."));
}

const agreement = (of) => (of ? el("details", {}, el("summary", {}, "Agreement with ", of.recipient, ", until ", of.until), pairs([
  ["Recipient", of.recipient], ["Also known as", (of.also_known_as || []).join(", ")], ["Not the same as", (of.not_the_same_as || []).join(", ")], ["Access class", of.access], ["Terms of use", of.terms.join(", ") || "none"], ["Valid", `${of.valid_from} to ${of.until}`],
  ["Can link on", of.link_on.join(", ") || "no field"], ["Destroy by", of.destroy_by], ["Digest of the signed text", el("code", {}, of.digest)],
])) : el("p", { class: "fine" }, "No agreement is recorded yet."));

function policy({ policy: of, policy_digest: digest, state, step }) {
  if (!of?.fields) return null;
  const voted = step === "policy" && ["submitted", "sealed", "reviewed"].includes(state);  // It is what they vote on.
  const roles = Object.entries(Object.groupBy(Object.entries(of.fields), ([, role]) => role));
  return el("details", { open: voted }, el("summary", {}, of.recipient ? ["Policy for ", of.recipient] : "Policy of synthetic rows, counts or letters"), pairs([
    ...roles.map(([role, fields]) => [role, fields.map(([name]) => name).join(", ")]),
    ["Requires", JSON.stringify(of.require).replaceAll(",", ", ").replaceAll(":", ": ")], ["Digest", el("code", {}, digest)],
  ]));
}

const votes = ({ votes: of }) => of?.length > 0 && table("Votes", ["Reviewer", "Vote", "Reason"], of.map((each) => [each.by, badge(each.vote, each.vote === "approve" ? "good" : "bad"), each.reason]));

const decision = (of) => of.decided_by && pairs([
  ["Decided by", of.decided_by], ["Reason", of.decision], ["Conditions", of.conditions.length > 0 && el("ul", {}, of.conditions.map((each) => el("li", {}, each)))], ["Valid until", of.valid_until],
]);

/** A labelled input, area or choice. */
export const field = (label, input) => el("p", { class: "field" }, el("label", { for: input.id }, label), input);
export const keyField = (id) => field("Your key file; it stays on this machine", el("input", { id, type: "file", required: true }));

/** A form that signs: the key is read from the file, and `does` makes the move. */
export function signs(title, id, fields, buttons, note = "") {
  const form = el("form", {}, el("h3", {}, title), fields, keyField(`${id}-key`),
    el("p", { class: "acts" }, Object.entries(buttons).map(([words, does], at) => el("button", { type: "submit", class: at ? null : "main", value: String(at) }, words))),
    note && el("p", { class: "fine" }, note));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const does = Object.values(buttons)[Number(event.submitter?.value || 0)];
    tries(async () => {
      await chooseKey(one(`#${CSS.escape(`${id}-key`)}`, form).files[0]);
      await does(form);
    }, { busy: "The move is signed and sent." });
  });
  return form;
}

function acts(found, validDays, done) {
  const about = { application: found.name, round: found.round }, id = (what) => `${what}-${found.round.slice(0, 12)}-${found.since.replace(/\D/g, "")}`;
  const after = async (words) => { await done(found.name); say(words); };
  const value = (form, what) => one(`#${CSS.escape(id(what))}`, form).value;
  const area = (what) => el("textarea", { id: id(what), rows: "3", maxlength: "5000", required: true });
  const made = {
    commitment: () => signs("Your vote", id("vote"), field("Reason", area("vote-reason")), { Approve: vote("approve"), Refuse: vote("refuse") },
      "A file with your vote is saved first. Keep it: you need it to open your vote when all have voted. The gate gets only a seal of it."),
    vote: () => (found.voted ? signs("Open your vote", id("open"), field("The file with your vote", el("input", { id: id("sealed"), type: "file", required: true })), { "Open my vote": async (form) => {
      await sendMove("vote", { ...about, ...await readVote(one(`#${CSS.escape(id("sealed"))}`, form).files[0]) });
      await after("Your vote is open.");
    } }, "All reviewers have voted. Votes are shown when all of them are open.") : signs("Your vote", id("vote"), field("Reason", area("vote-reason")), { Approve: openly("approve"), Refuse: openly("refuse") })),
    decision: () => signs("The decision", id("decision"), [field("Reason", area("decision-reason")), field("Conditions, one on each line", el("textarea", { id: id("conditions"), rows: "2", maxlength: "5000" })),
      field("Valid until", el("input", { id: id("until"), type: "date", required: true, value: day(validDays) }))], { Approve: decide("approve"), Refuse: decide("refuse") }),
    withdrawal: () => el("details", {}, el("summary", {}, "Withdraw this application"), signs("Withdrawal", id("withdrawal"), field("Reason", area("withdrawal-reason")), { Withdraw: async (form) => {
      await sendMove("withdrawal", { application: found.name, reason: value(form, "withdrawal-reason") });
      await after("The application is withdrawn.");
    } })),
  };
  const vote = (word) => async (form) => {
    const sealed = await seal(word, value(form, "vote-reason"));
    save(new Blob([JSON.stringify(sealed.vote)], { type: "application/json" }), `vote-${found.name.replace(/[^\w-]+/g, "-")}.json`);
    await sendMove("commitment", { ...about, commitment: sealed.commitment });
    await after("Your vote is sealed.");
  };
  const openly = (word) => async (form) => {
    await sendMove("vote", { ...about, ...(await seal(word, value(form, "vote-reason"))).vote });
    await after("Your vote is recorded.");
  };
  const decide = (word) => async (form) => {
    const conditions = value(form, "conditions").split("\n").map((each) => each.trim()).filter(Boolean);
    await sendMove("decision", { ...about, decision: word, reason: value(form, "decision-reason"), conditions, valid_until: value(form, "until") });
    await after("The decision is recorded.");
  };
  return el("div", { class: "acting" }, found.may.map((kind) => made[kind]?.()), !found.may.includes("commitment") && found.voted && found.state === "submitted" && el("p", { class: "fine" }, found.sealed ? "You have voted. Your vote can be opened when all have." : "You have voted."));
}

const day = (days) => new Date(Date.now() + Math.min(days, 365) * 86_400_000 - 86_400_000).toISOString().slice(0, 10);
