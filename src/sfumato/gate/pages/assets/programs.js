// Tokens for programs.
import { el, fill, one, table, time } from "./dom.js";
import { asks, gets, posts, tries } from "./gate.js";

async function read() {
  const { tokens } = await gets("/tokens");
  fill(one("#tokens"), tokens.length
    ? table("A token asks in your name until it ends.", ["What it is for", "Ends", ""], tokens.map((token) => [token.name, time(token.ends),
      el("button", { type: "button", "aria-label": `End the token for ${token.name}`, on: { click: () => tries(async () => { await asks("DELETE", `/tokens/${encodeURIComponent(token.id)}`); await read(); }) } }, "End it")]))
    : el("p", {}, "You have none."));
}

one("#add").addEventListener("submit", (event) => {
  event.preventDefault();
  tries(async () => {
    const made = await posts("/tokens", { name: one("#name").value, days: Number(one("#days").value) });
    fill(one("#made"), el("div", { class: "notice" }, el("p", {}, el("strong", {}, "Copy it now: it is shown this once.")), el("p", {}, el("code", { class: "token" }, made.token))));
    one("#name").value = "";
    await read();
  });
});
tries(read);
