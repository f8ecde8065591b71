// Accounts: who may come, and as what.
import { badge, el, fill, one, say, table } from "./dom.js";
import { asks, gets, posts, tries } from "./gate.js";

const RIGHTS = { recipient: "recipient: asks", steward: "steward: asks, reads the audit, explains", board: "board: agrees to changes, reads the audit", administrator: "administrator: accounts and tables" };
const section = one("#changing");
let changed = null;

const groups = (text) => text.split(",").map((each) => each.trim()).filter(Boolean);
const rights = (id) => fill(one(id), Object.entries(RIGHTS).map(([value, words]) => el("option", { value }, words)));

async function read() {
  const { accounts } = await gets("/accounts");
  fill(one("#entries"), table("Accounts", ["Name", "Right", "Profile", "Groups", "Last day", ""], accounts.map((account) => [
    [account.name, account.disabled && [" ", badge("may not come", "odd")]], account.right, account.profile, account.groups.join(", "), account.ends,
    el("button", { type: "button", "aria-label": `Change ${account.name}`, on: { click: () => change(account) } }, "Change")]), { quiet: true }));
}

function change(account) {
  changed = account;
  one("#changing-is").textContent = `Change ${account.name}`;
  one("#its-right").value = account.right;
  one("#its-profile").value = account.profile;
  one("#its-groups").value = account.groups.join(", ");
  one("#its-until").value = account.until;
  one("#its-password").value = "";
  one("#its-disabled").checked = account.disabled;
  section.hidden = false;
  one("#changing-is").focus();
}

rights("#right");
rights("#its-right");
one("#leave").addEventListener("click", () => { section.hidden = true; });
one("form", section).addEventListener("submit", (event) => {
  event.preventDefault();
  const given = { right: one("#its-right").value, profile: one("#its-profile").value, groups: groups(one("#its-groups").value), disabled: one("#its-disabled").checked, until: one("#its-until").value };
  if (one("#its-password").value) given.password = one("#its-password").value;
  tries(async () => {
    await asks("PATCH", `/accounts/${encodeURIComponent(changed.name)}`, given);
    section.hidden = true;
    await read();
    say("The account was changed.");
  });
});
one("#add").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  tries(async () => {
    await posts("/accounts", { name: one("#name").value, password: one("#password").value, right: one("#right").value, profile: one("#profile").value, groups: groups(one("#groups").value), until: one("#until").value });
    form.reset();
    await read();
    say("The account was added.");
  });
});
tries(read);
