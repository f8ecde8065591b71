// Moves of the register, signed here: the key is read from a file that a member chooses, and is never sent or kept.
import { Refusal, gets, posts } from "./gate.js";

const TYPE = "application/vnd.sfumato.move+json";
const bytes = (text) => new TextEncoder().encode(text);
const hex = (raw) => [...new Uint8Array(raw)].map((each) => each.toString(16).padStart(2, "0")).join("");
const base64 = (raw) => btoa([...new Uint8Array(raw)].map((each) => String.fromCharCode(each)).join(""));
let key = null;

const refuse = (message, attempt) => { throw new Refusal({ code: "not-signed", message, attempt }); };

/** The member's key from its file (PEM, PKCS #8). Scripts cannot read it out of the browser again. */
export async function chooseKey(file) {
  key = null;
  if (!globalThis.crypto?.subtle) refuse("This browser signs only over an encrypted connection.", "https, or this machine itself.");
  const found = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/.exec(await file.text());
  if (!found) refuse("The file holds no key to sign with.", "the file that sfumato key --sign made, without .pub.");
  const raw = Uint8Array.from(atob(found[1].replace(/\s/g, "")), (each) => each.charCodeAt(0));
  try {
    key = await crypto.subtle.importKey("pkcs8", raw, { name: "Ed25519" }, false, ["sign"]);
  } catch {
    refuse("This browser cannot use the key.", "a key of sfumato key --sign, and a browser of 2025 or later.");
  }
}

/** Sign a move that follows the newest one, and send it. Where somebody else was faster, it is signed again. */
export async function sendMove(kind, facts) {
  if (!key) refuse("Choose your key first.", "the file that sfumato key --sign made for you.");
  for (let left = 3; ; left -= 1) {
    const next = await gets("/register/next");
    const payload = bytes(JSON.stringify({ ...next, kind, author: document.body.dataset.who, facts }));
    const head = bytes(`DSSEv1 ${bytes(TYPE).length} ${TYPE} ${payload.length} `);
    const message = new Uint8Array([...head, ...payload]);
    const signature = await crypto.subtle.sign("Ed25519", key, message);
    try {
      return await posts("/register/moves", { payload: base64(payload), signature: base64(signature) });
    } catch (refused) {
      if (!left || !(refused.told?.found || "").includes("does not follow")) throw refused;
    }
  }
}

/** A vote with a random salt, and its commitment: an HMAC that says nothing of either vote or reason. */
export async function seal(vote, reason) {
  const raw = crypto.getRandomValues(new Uint8Array(32));
  const salt = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const told = `[${JSON.stringify(vote)}, ${JSON.stringify(reason)}]`;
  return { vote: { vote, reason, salt: hex(raw) }, commitment: hex(await crypto.subtle.sign("HMAC", salt, bytes(told))) };
}

/** A vote from the file in which it was kept. */
export async function readVote(file) {
  try {
    const { vote, reason, salt } = JSON.parse(await file.text());
    if ([vote, reason, salt].every((each) => typeof each === "string")) return { vote, reason, salt };
  } catch { /* told below */ }
  return refuse("The file holds no vote.", "the file that was saved when you voted.");
}
