// Validating: a question, the number on a synthetic copy and a margin; what it would cost, and the verdict.
import { badge, el, fill, number, one, say, svg, table as drawn } from "./dom.js";
import { Refusal, posts, tries } from "./gate.js";

const KINDS = { agrees: "good", differs: "bad", "cannot say": "odd" };
const WIDTH = 640, HEIGHT = 128, EDGE = 100;
const expected = one("#expected"), verdict = one("#verdict");
const plain = (value) => (value === null ? "unknown" : Number(Number(value).toPrecision(6)).toLocaleString("en", { maximumSignificantDigits: 6 }));

function typed(id) {
  const text = one(id).value.trim();
  if (!text) return null;
  if (!Number.isFinite(Number(text))) {
    throw new Refusal({ code: "claim", message: `${one(`label[for=${id.slice(1)}]`).textContent} is no number.`, attempt: "digits and a point, such as 41.5." });
  }
  return Number(text);
}

function claim() {
  const given = { sql: one("#sql").value, value: typed("#value"), margin: typed("#margin"), epsilon: typed("#epsilon") || null };
  if (given.margin === null) throw new Refusal({ code: "claim", message: "There is no margin yet.", attempt: "how far off the real number may be." });
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

/** The margin as a band, and the noisy number with its interval below it, on one scale. */
function scale({ value, margin, number: found, low, high }) {
  if (low === null || high === null) return null;
  const ends = [value - margin, value + margin, low, high], least = Math.min(...ends), span = Math.max(...ends) - least || 1;
  const label = (place, y, words) => svg("text", { x: Math.min(Math.max(at(place), EDGE), WIDTH - EDGE), y, "text-anchor": "middle" }, words);
  const at = (place) => 30 + (WIDTH - 60) * (place - least) / span;
  return svg("svg", { class: "claim-scale", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `The margin is from ${plain(value - margin)} to ${plain(value + margin)}; the real number is between ${plain(low)} and ${plain(high)}.` },
    svg("rect", { class: "band", x: at(value - margin), y: 22, width: Math.max(at(value + margin) - at(value - margin), 1), height: 34, rx: 4 }),
    svg("line", { class: "claimed", x1: at(value), x2: at(value), y1: 22, y2: 56 }),
    svg("line", { class: "interval", x1: at(low), x2: at(high), y1: 84, y2: 84 }),
    ...[low, high].map((end) => svg("line", { class: "interval", x1: at(end), x2: at(end), y1: 77, y2: 91 })),
    svg("circle", { class: "found", cx: at(found), cy: 84, r: 5 }),
    label(value, 14, "your number and margin"), label(found, 112, "real number, with noise"));
}

function showVerdict(given) {
  const rows = [
    ["On the copy", plain(given.value)],
    ["Margin", plain(given.margin)],
    ["Real number, with noise", plain(given.number)],
    [`Its interval, ${number(100 * given.confidence, 1)} times of 100`, given.low === null ? "unknown: the noise covers it" : `${plain(given.low)} to ${plain(given.high)}`],
    ["Cost", given.remembered ? "none: it was answered before" : `epsilon ${number(given.epsilon, 4)}`],
    ["Such answers left", number(given.left)],
  ];
  fill(one("div", verdict),
    el("p", { class: `verdict ${KINDS[given.agreement]}` }, badge(given.agreement, KINDS[given.agreement]), " ", given.words),
    scale(given),
    drawn("What it follows from", ["", ""], rows, { quiet: true }),
    given.cuts.length > 0 && el("p", { class: "fine" }, `Before noise, ${given.cuts.join("; ")}. The interval does not cover that.`),
    el("p", { class: "fine" }, "Query ", el("code", {}, given.query), given.as_of ? `; the data is as of ${given.as_of}.` : "."),
    given.copy && el("p", { class: "fine" }, "The number on the copy was computed from the synthetic release ", el("code", {}, given.copy), "."));
  verdict.hidden = false;
  one("#verdict-is").focus();
  say(given.words);
}

function showForecast(given) {
  const known = given.half_width !== null;
  fill(one("div", expected),
    el("p", {}, given.epsilon ? `It would cost epsilon ${number(given.epsilon, 4)}; ` : "It costs nothing, because it was answered before; ", `${number(given.left)} such answers are left.`),
    known && el("p", {}, `The real number would usually be within ${plain(given.half_width)} of the noisy one. `,
      given.decides ? badge("decides this margin", "good") : badge("may not decide this margin", "odd")),
    known && !given.decides && el("p", {}, given.epsilon_needed === null ? "No epsilon decides this margin. " : `This margin needs epsilon ${plain(given.epsilon_needed)}${given.epsilon_needed > given.most ? ", which is more than you may choose" : ""}. `,
      `This epsilon decides a margin of ${plain(given.margin_decided)}.`),
    !known && el("p", {}, "How near the number would be is unknown: it depends on how many people it is about, and the gate has no synthetic copy to count them in."),
    given.copy && el("p", {}, `On the synthetic copy the number is ${plain(given.value)}.`));
  expected.hidden = false;
  one("#expected-is").focus();
}

const clear = () => { expected.hidden = true; verdict.hidden = true; };
one("#claim").addEventListener("submit", (event) => {
  event.preventDefault();
  tries(async () => { clear(); showVerdict(await posts("/validations", claim())); }, { busy: "The claim is judged." });
});
one("#forecast").addEventListener("click", () => tries(async () => { clear(); showForecast(await posts("/validations/forecast", claim())); }));
