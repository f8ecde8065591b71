// Hierarchies drawn from the policy, not from the data: what a field becomes, level by level.
import { el, svg } from "./dom.js";

const HIGH = 22, WIDE = 150;

/** A picture of a hierarchy as the policy writes it. */
export function drawing(name, hierarchy) {
  const given = hierarchy || { suppress: true };
  const tree = given.tree && branches(given.tree);
  const picture = tree ? treeOf(name, tree) : ladderOf(name, levels(given));
  return el("figure", {}, el("figcaption", {}, el("strong", {}, name), " ", el("span", { class: "fine" }, said(given))), picture);
}

const said = (given) => (typeof given === "string" ? `from the file ${given}` : { suppress: "shown or not", tree: "a tree" }[Object.keys(given)[0]] || Object.keys(given)[0]);

/** The names of a hierarchy's levels, as the policy has them; nothing for a tree, which is drawn as one. */
export function levels(given) {
  if (given?.tree) return [];
  if (typeof given === "string") return ["value", `as in ${given}`, "not shown"];
  const [kind] = Object.keys(given), inner = given[kind];
  const widths = Array.isArray(inner) ? inner : Array.isArray(inner?.widths) ? inner.widths : [];
  if (kind === "numbers") return ["value", ...widths.map((width) => `in steps of ${width}`), "not shown"];
  if (kind === "prefix") return ["value", ...widths.map((count) => `first ${count} characters`), "not shown"];
  if (kind === "dates") return ["date", ...widths.map(String), "not shown"];
  if (kind === "suppress") return ["value", "not shown"];
  return ["value", ...(widths.length ? widths.map((each) => (typeof each === "object" ? "a coarser group" : String(each))) : [kind]), "not shown"];
}

/** Steps that get wider: each bar holds several of the one before. */
function ladderOf(name, steps) {
  const width = steps.length * WIDE, high = 62;
  const bars = steps.flatMap((words, level) => {
    const shown = Math.round(Math.min(12, 2 ** (steps.length - 1)) ** (1 - level / (steps.length - 1)));
    const each = (high - 22) / shown;
    return [...Array.from({ length: shown }, (_, bar) => svg("rect", { x: level * WIDE + 1, y: bar * each + 1, width: WIDE - 14, height: Math.max(1.5, each - 1.5), rx: 2, class: level === steps.length - 1 ? "top" : "step" })),
      svg("text", { x: level * WIDE + 2, y: high - 5 }, words)];
  });
  return svg("svg", { class: "hierarchy", viewBox: `0 0 ${width} ${high}`, width, height: high, role: "img", "aria-label": `${name}: ${steps.join(", then ")}` }, bars);
}

function branches(tree) {
  if (Array.isArray(tree)) return tree.map((label) => ({ label: String(label), inner: [] }));
  return Object.entries(tree).map(([label, inner]) => ({ label, inner: branches(inner) }));
}

function treeOf(name, roots) {
  const deep = (nodes) => (nodes.length ? 1 + Math.max(...nodes.map((each) => deep(each.inner))) : 0);
  const columns = deep(roots) + 1, marks = [];
  let next = 0;
  const place = (node, column) => {
    const inner = node.inner.map((each) => place(each, column - 1));
    const x = column * WIDE, y = inner.length ? (inner[0].y + inner.at(-1).y) / 2 : (next += 1) * HIGH - HIGH / 2;
    for (const each of inner) marks.push(svg("path", { class: "branch", d: `M${each.x + WIDE - 30} ${each.y}C${x - 10} ${each.y} ${x - 20} ${y} ${x - 4} ${y}` }));
    marks.push(svg("text", { x, y: y + 4 }, node.label.length > 20 ? `${node.label.slice(0, 19)}…` : node.label));
    return { x, y };
  };
  place({ label: "not shown", inner: roots }, columns - 1);
  const width = columns * WIDE, height = next * HIGH + 4;
  return svg("svg", { class: "hierarchy", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${name}: a tree. ${roots.map(({ label, inner }) => `${label}: ${inner.map((each) => each.label).join(", ")}`).join("; ")}` }, marks);
}
