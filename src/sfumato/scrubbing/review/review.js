"use strict";
// What a reviewer does on the page: look at a finding, mask or keep it, name its kind, add one, save. Nothing is sent.
(() => {
  const one = (id) => document.getElementById(id);
  const all = (query, within = document) => [...within.querySelectorAll(query)];
  const rows = new Map(all("tr[data-f]").map((row) => [row.id.slice(1), { row, f: JSON.parse(row.dataset.f) }]));
  const marks = all("mark");
  const puts = new Map(all(".put").map((put) => [put.dataset.n, put]));
  for (const [n, each] of rows) {
    each.was = { mask: each.f.mask, kind: each.f.kind };
    each.put = puts.get(n);
    each.before = each.put ? [...each.put.childNodes] : [];
  }
  for (const mark of marks) {
    const each = rows.get(mark.dataset.n);
    each.mark = mark;
    each.doc = mark.closest(".doc");
    mark.setAttribute("role", "button");
    mark.removeAttribute("title");
  }
  const groups = new Map([...one("kind").options].map((option) => [option.value, option.className]));
  const added = [];
  let chosen = null, picked = null, pinned = false, saved = true;

  // ------------------------------------------------------------------ showing

  const text = (node, name, content) => {
    const made = document.createElement(name);
    made.textContent = content;
    node.append(made);
    return made;
  };
  const visible = (words) => words.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]/gu,
    (mark) => `[U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
  const isChanged = (each) => each.f.mask !== each.was.mask || each.f.kind !== each.was.kind || Boolean(each.f.everywhere);

  function paint(each) {
    const changed = isChanged(each);
    each.row.querySelector(".decided").textContent = (each.f.mask ? "masked: " : "kept: ") + (changed ? "you said so" : each.f.decided);
    each.row.querySelector(".kind").textContent = each.f.kind;
    for (const node of [each.mark, each.put]) {
      if (!node) continue;
      node.classList.toggle("masked", each.f.mask);
      node.classList.toggle("kept", !each.f.mask);
      node.classList.toggle("changed", changed);
      node.classList.remove(...groups.values());
      node.classList.add(groups.get(each.f.kind));
    }
    if (each.mark) {
      each.mark.setAttribute("aria-pressed", String(each.f.mask));
      each.mark.setAttribute("aria-description", `${each.f.kind}, ${each.f.mask ? "masked" : "kept"}`);
    }
    if (!each.put || !each.mark) return;
    const asFound = each.f.mask === each.was.mask && (each.f.kind === each.was.kind || !each.f.mask);
    each.put.classList.toggle("pending", each.f.mask && !asFound);
    if (asFound) each.put.replaceChildren(...each.before);
    else if (each.f.mask) each.put.textContent = `[${each.f.kind}]`;
    else each.put.replaceChildren(...[...each.mark.childNodes].map((node) => node.cloneNode(true)));
    each.put.classList.toggle("empty", each.put.childNodes.length === 0);
  }

  function tell() {
    const count = [...rows.values()].filter(isChanged).length + added.length;
    one("state").textContent = count ? `${count} change${count > 1 ? "s" : ""}${saved ? ", saved" : ", not saved yet"}` : "No changes";
  }

  function alike(each) {
    return [...rows.values()].filter((other) => other !== each && other.f.text === each.f.text && other.f.mask !== each.f.mask);
  }

  // Hovering shows a finding; a click, a key or the focus keeps it there, so that the way to the buttons is free.
  function choose(each, { move = false, pin = true } = {}) {
    for (const node of all(".on")) node.classList.remove("on");
    chosen = each; picked = null; pinned = pin;
    const { f } = each, about = one("about");
    for (const node of [each.mark, each.put]) node?.classList.add("on");
    about.replaceChildren();
    text(about, "b", visible(f.text));
    const put = f.mask ? (isChanged(each) ? "what applying puts there" : visible(f["replaced by"] || "nothing")) : "kept as it is";
    about.append(" → ");
    text(about, "b", put);
    const why = text(about, "small", "");
    const meter = text(why, "meter", "");
    meter.value = f.score; meter.low = 0.4; meter.high = 0.7; meter.optimum = 1;
    meter.setAttribute("aria-label", "Score");
    why.append(` ${f.score.toFixed(2)} · found by ${f["found by"].replaceAll("+", ", ")}: ${f.why || "no reason given"} · `
      + `${f.mask ? "masked" : "kept"}: ${isChanged(each) ? "you said so" : f.decided || "no reason given"}${f.how ? " · " + f.how : ""}`);
    one("edits").hidden = false;
    one("add").hidden = true;
    one("toggle").hidden = false;
    one("toggle").textContent = f.mask ? "Keep" : "Mask";
    one("kind").value = f.kind;
    one("everywhere").checked = Boolean(f.everywhere);
    const others = alike(each);
    one("alike").hidden = !others.length;
    one("alike").textContent = `${f.mask ? "Mask" : "Keep"} ${others.length} alike on this page`;
    if (move && each.mark) { each.mark.focus({ preventScroll: true }); each.mark.scrollIntoView({ block: "center" }); }
  }

  function change(each, what) {
    Object.assign(each.f, what);
    if (!each.f.everywhere) delete each.f.everywhere;
    saved = false;
    paint(each); tell(); choose(each);
  }

  // ---------------------------------------------------------------- selecting

  // A place in an original, counted as Python counts: in code points, with each labelled character as one.
  function offset(node, at) {
    const cell = (node.nodeType === 1 ? node : node.parentElement)?.closest(".o");
    if (!cell) return null;
    const range = document.createRange();
    range.selectNodeContents(cell);
    range.setEnd(node, at);
    return { cell, place: Number(cell.dataset.s) + [...raw(range.cloneContents())].length };
  }
  function raw(node) {
    let out = "";
    for (const child of node.childNodes) {
      if (child.nodeType === 3) out += child.data;
      else if (child.classList.contains("u")) out += String.fromCodePoint(parseInt(child.dataset.c, 16));
      else out += raw(child);
    }
    return out;
  }
  function between(doc, start, end) {
    let out = "";
    for (const cell of all(".o", doc)) {
      const from = Number(cell.dataset.s), marks = [...raw(cell)];
      if (from < end && from + marks.length > start) out += marks.slice(Math.max(0, start - from), end - from).join("");
    }
    return out;
  }
  function pick() {
    const now = document.getSelection();
    if (!now || now.isCollapsed || !now.rangeCount) return;
    const range = now.getRangeAt(0);
    const from = offset(range.startContainer, range.startOffset), to = offset(range.endContainer, range.endOffset);
    if (!from || !to || from.cell.closest(".doc") !== to.cell.closest(".doc")) return;
    const doc = from.cell.closest(".doc");
    let [start, end] = [from.place, to.place];
    const marks = [...between(doc, start, end)];
    while (marks.length && /\s/u.test(marks[0])) { marks.shift(); start += 1; }
    while (marks.length && /\s/u.test(marks.at(-1))) { marks.pop(); end -= 1; }
    if (!marks.length) return;
    picked = { doc, range: range.cloneRange(), f: { start, end, text: marks.join(""), kind: "name", mask: true } };
    chosen = null;
    one("about").replaceChildren("Add ");
    text(one("about"), "b", visible(picked.f.text));
    text(one("about"), "small", "Choose its kind. What stands in its place is made when the review is applied.");
    one("edits").hidden = one("add").hidden = false;
    one("toggle").hidden = one("alike").hidden = true;
    one("kind").value = "name";
    one("everywhere").checked = true;
  }
  const high = typeof Highlight === "function" && CSS.highlights ? new Highlight() : null;
  if (high) CSS.highlights.set("added", high);
  function add() {
    if (!picked) return;
    const mine = picked;
    mine.f.kind = one("kind").value;
    if (one("everywhere").checked) mine.f.everywhere = true;
    mine.f.comment = "added on the page";
    added.push(mine);
    high?.add(mine.range);
    const item = text(mine.doc.querySelector(".added"), "li", "Added ");
    text(item, "b", visible(mine.f.text));
    item.append(` as ${mine.f.kind}${mine.f.everywhere ? ", everywhere" : ""} `);
    const gone = text(item, "button", "Take back");
    gone.type = "button";
    gone.addEventListener("click", () => {
      added.splice(added.indexOf(mine), 1); high?.delete(mine.range); item.remove(); saved = false; tell();
    });
    picked = null; saved = false;
    document.getSelection()?.removeAllRanges();
    one("edits").hidden = true;
    one("about").textContent = "Added. Choose a finding, or select text that was missed.";
    tell();
  }

  // ------------------------------------------------------------------- saving

  function review() {
    const about = JSON.parse(document.body.dataset.review);
    const out = { format: about.format, holds: "This file holds originals in clear.", purpose: about.purpose, whole: about.whole, reviewer: "", everywhere: [] };
    out.documents = all(".doc").map((doc) => {
      const own = all("tr[data-f]", doc).map((row) => rows.get(row.id.slice(1)));
      const findings = own.filter((each) => about.whole || isChanged(each)).map((each) => each.f);
      findings.push(...added.filter((mine) => mine.doc === doc).map((mine) => mine.f));
      return { ...JSON.parse(doc.dataset.doc), findings };
    }).filter((doc) => about.whole || doc.findings.length);
    return JSON.stringify(out, null, 1) + "\n";
  }
  function save() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([review()], { type: "application/json" }));
    link.download = document.body.dataset.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    saved = true; tell();
  }

  // ---------------------------------------------------------------- moving about

  const isOff = (mark) => mark.classList.contains("off");
  function step(by, wanted) {
    const list = marks.filter((mark) => !isOff(mark) && (wanted === "any" || mark.classList.contains("c-uncertain")));
    if (!list.length) { one("about").textContent = wanted === "any" ? "There is no finding." : "There is no uncertain finding."; return; }
    const here = chosen?.mark ?? document.activeElement?.closest?.("mark");
    let at = by > 0 ? 0 : list.length - 1;
    if (here) {
      const later = list.findIndex((mark) => here.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING);
      const before = list.findLastIndex((mark) => here.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_PRECEDING);
      at = by > 0 ? (later < 0 ? 0 : later) : (before < 0 ? list.length - 1 : before);
    }
    choose(rows.get(list[at].dataset.n), { move: true });
  }
  function filter() {
    const off = all("[data-filter]").filter((box) => !box.checked).map((box) => box.dataset.filter);
    for (const node of [...marks, ...puts.values()]) node.classList.toggle("off", off.some((name) => node.classList.contains(name)));
  }
  function under() {
    document.documentElement.style.setProperty("--under", `${document.querySelector(".tools").offsetHeight - 1}px`);
  }

  document.querySelector(".tools").hidden = one("panel").hidden = false;
  document.addEventListener("focusin", (event) => { const mark = event.target.closest?.("mark"); if (mark) choose(rows.get(mark.dataset.n)); });
  document.addEventListener("click", (event) => {
    const put = event.target.closest?.(".put, mark");
    if (put && document.getSelection().isCollapsed) choose(rows.get(put.dataset.n));
    else if (!put && !event.target.closest?.("#panel, .tools")) pinned = false;
  });
  document.addEventListener("pointerover", (event) => {
    const node = event.target.closest?.("mark, .put");
    if (node && !picked && !pinned && !event.buttons) choose(rows.get(node.dataset.n), { pin: false });
  });
  document.addEventListener("pointerdown", (event) => document.body.classList.toggle("selecting", Boolean(event.target.closest?.(".o"))));
  document.addEventListener("pointerup", () => setTimeout(pick, 0));
  document.addEventListener("keyup", (event) => { if (event.shiftKey) pick(); });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("select, input, textarea")) return;
    const acts = { n: () => step(1, "uncertain"), p: () => step(-1, "uncertain"), j: () => step(1, "any"), k: () => step(-1, "any"), m: () => chosen && change(chosen, { mask: !chosen.f.mask }) };
    const onMark = event.target.closest?.("mark") && (event.key === "Enter" || event.key === " ");
    const act = onMark ? acts.m : acts[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  one("next").addEventListener("click", () => step(1, "uncertain"));
  one("before").addEventListener("click", () => step(-1, "uncertain"));
  one("toggle").addEventListener("click", () => chosen && change(chosen, { mask: !chosen.f.mask }));
  one("kind").addEventListener("change", () => chosen && change(chosen, { kind: one("kind").value, mask: true }));
  one("everywhere").addEventListener("change", () => chosen && change(chosen, { everywhere: one("everywhere").checked }));
  one("alike").addEventListener("click", () => { const mine = chosen; for (const each of alike(mine)) change(each, { mask: mine.f.mask }); choose(mine); });
  one("add").addEventListener("click", add);
  one("save").addEventListener("click", save);
  document.querySelector(".tools").addEventListener("change", filter);
  document.querySelector(".tools").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("beforeunload", (event) => { if (!saved) event.preventDefault(); });
  window.addEventListener("resize", under);
  for (const each of rows.values()) if (each.mark) each.mark.setAttribute("aria-pressed", String(each.f.mask));
  under();
})();
