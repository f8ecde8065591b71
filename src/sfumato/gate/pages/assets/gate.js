// Speaking with the gate: every request, every refusal. Nothing is kept in the browser.
import { all, el, fill, one, say } from "./dom.js";

export class Refusal extends Error {
  constructor(told) {
    super(told.message || "The gate did not answer.");
    this.told = told;
  }
}

/** Ask the API. `body` is sent as JSON, or as it is where it is a form with a file. */
export async function asks(method, path, body) {
  const headers = { "X-Sfumato-Changes": document.body.dataset.changes };
  const form = body instanceof FormData;
  if (body !== undefined && !form) headers["Content-Type"] = "application/json";
  const response = await sent(path, { method, headers, body: form ? body : JSON.stringify(body), redirect: "error" });
  if (response.status === 204) return null;
  const told = await response.json().catch(() => ({ code: "broken-off", message: "The gate's answer broke off." }));
  if (!response.ok) throw new Refusal(told);
  return told;
}

async function sent(path, given) {
  try {
    return await fetch(`/api/v1${path}`, given);
  } catch {
    throw new Refusal({ code: "not-there", message: "The gate cannot be reached.", attempt: "again in a moment; it may have been closed." });
  }
}

export const gets = (path, given = {}) => asks("GET", path + questions(given));
export const posts = (path, body) => asks("POST", path, body);

export function questions(given) {
  const kept = Object.entries(given).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return kept.length ? `?${new URLSearchParams(kept)}` : "";
}

/** A file that the gate makes, saved under a name. */
export async function saves(path, name) {
  const response = await sent(path, { headers: {} });
  if (!response.ok) throw new Refusal(await response.json());
  save(await response.blob(), name);
}

export function save(blob, name) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Do something that may be refused: buttons wait, and a refusal is shown in its place. */
export async function tries(does, { busy = "The gate is asked." } = {}) {
  const place = one("#refusal");
  fill(place);
  say(busy);
  const waiting = all("button.main, .acts button").filter((button) => !button.disabled);
  for (const button of waiting) button.disabled = true;
  document.body.classList.add("busy");
  try {
    return await does();
  } catch (refused) {
    if (!(refused instanceof Refusal)) throw refused;
    fill(place, shown(refused.told));
    place.scrollIntoView({ block: "nearest" });
    return null;
  } finally {
    for (const button of waiting) button.disabled = false;
    document.body.classList.remove("busy");
  }
}

const HEADS = { "not-answered": "Not answered", "not-you": "Your session has ended", budget: "The budget is used up", "too-many": "Too fast" };

function shown(told) {
  const place = told.place ? `Line ${told.place.line}, column ${told.place.column}.` : "";
  const said = [told.found, place && !(told.found || "").includes("line") ? place : ""].filter(Boolean).join(" ");
  return el("div", { class: "refusal", "data-code": told.code },
    el("h2", {}, HEADS[told.code] || "This did not pass"),
    el("p", {}, told.message),
    said && el("p", {}, said),
    told.attempt && el("p", {}, el("strong", {}, "Try "), told.attempt),
    told.problems && el("ul", {}, told.problems.map((each) =>
      el("li", {}, el("strong", {}, each.where), ": ", each.found, each.attempt && ` Try ${each.attempt}`))),
    told.code === "not-answered" && el("p", { class: "fine" }, "This one sentence is told whatever the reason was, so that the reason tells nothing. ",
      "The data steward can look up ", el("code", {}, told.query), "."),
    told.code === "not-you" && el("p", {}, el("a", { href: "/log-in", target: "_blank", rel: "noopener" }, "Log in in another tab"), " and try again; what you typed stays here until you leave."));
}

one("#log-out")?.addEventListener("click", () => tries(async () => {
  await posts("/log-out");
  location.replace("/log-in");
}));
