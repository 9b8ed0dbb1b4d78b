// Small charts. Widths and positions are SVG attributes, since the CSP forbids inline style.
import { h, s, number } from "./dom.js";
import { KINDS, OUTCOMES } from "./words.js";

const shown = (value) => number(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));

/// A line over time. The pointer, or the arrow keys, read one value; the figure at the top follows.
///
/// - `at`: what a place is called, for example its minute.
/// - `worst`: whether a person should look at it.
export function spark(given, { tone = "", unit = "", at, label, worst = false }) {
  // One value alone is a line, too.
  const values = given.length === 1 ? [given[0], given[0]] : given;
  const W = 300, H = 56, last = values.length - 1, top = Math.max(...values) * 1.08 || 1;
  const x = (i) => last ? (i / last) * W : W, y = (v) => H - 2 - (v / top) * (H - 6);
  const path = values.map((v, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(v).toFixed(1)}`).join("");
  const figure = h("b", {}, `${shown(values[last] ?? 0)}${unit}`), place = h("span", {}, "now");
  const hair = s("line", { class: "hair", y1: 0, y2: H, visibility: "hidden" });
  let here = last;
  const read = (i) => { here = Math.max(0, Math.min(last, i)); for (const end of ["x1", "x2"]) hair.setAttribute(end, x(here)); hair.setAttribute("visibility", "visible"); figure.textContent = `${shown(values[here])}${unit}`; place.textContent = at(here); };
  const rest = () => { here = last; hair.setAttribute("visibility", "hidden"); figure.textContent = `${shown(values[last] ?? 0)}${unit}`; place.textContent = "now"; };
  const svg = s("svg", { viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: "none", class: "spark-line" }, last > 0 && s("path", { class: "area", d: `${path}L${W} ${H}L0 ${H}Z` }), last > 0 && s("path", { class: "stroke", d: path }), hair);
  const most = `most ${shown(Math.max(0, ...values))}${unit}`;
  const box = h("div", { class: "spark-box", tabindex: "0", role: "img", "aria-label": `${label}: now ${figure.textContent}, ${most}. Arrow keys read it.`,
    on: { pointermove: (e) => { const r = svg.getBoundingClientRect(); read(Math.round((e.clientX - r.left) / r.width * last)); }, pointerleave: rest, blur: rest,
      keydown: (e) => { if (e.key === "ArrowLeft") read(here - 1); else if (e.key === "ArrowRight") read(here + 1); else return; e.preventDefault(); } } }, svg);
  return h("section", { class: `spark ${tone}`, "data-worst": worst }, h("header", {}, h("h2", {}, label), h("p", { "aria-hidden": "true" }, figure, place)), box, h("footer", { "aria-hidden": "true" }, h("span", {}, at(0)), h("span", {}, most)));
}

/// Columns of stacked parts.
///
/// - `bins`: parts by name, and `title`.
/// - `pick`: called with the first and last column that were chosen: a click, or the arrow keys (with Shift to extend) and Enter.
export function columns(bins, { parts, height = 72, label, pick }) {
  const W = 1000, wide = W / bins.length, total = (bin) => parts.reduce((n, part) => n + (bin[part] ?? 0), 0);
  const most = Math.max(1, ...bins.map(total)) * 1.04;
  const frame = s("rect", { class: "chosen", y: 0, height, visibility: "hidden" });
  const svg = s("svg", { viewBox: `0 0 ${W} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, bins.map((bin, i) => {
    let up = height;
    const bars = parts.map((part) => { const size = ((bin[part] ?? 0) / most) * height; up -= size; return size > 0 && s("rect", { class: `q-${part}`, x: i * wide + .08 * wide, width: wide * .84, y: up, height: size }); });
    return s("g", pick ? { class: "pick", on: { click: () => pick(i, i) } } : {}, s("rect", { class: "ground", x: i * wide, width: wide, y: 0, height }, s("title", {}, bin.title)), bars);
  }), frame);
  if (!pick) return h("div", { class: "columns", role: "img", "aria-label": label }, svg);
  let from = bins.length - 1, to = from;
  const say = () => {
    const [a, b] = [Math.min(from, to), Math.max(from, to)];
    for (const [name, value] of [["x", a * wide], ["width", (b - a + 1) * wide], ["visibility", "visible"]]) frame.setAttribute(name, value);
    box.setAttribute("aria-valuenow", to);
    box.setAttribute("aria-valuetext", a === b ? bins[to].title : `${b - a + 1} columns, to ${bins[b].title}`);
  };
  const key = (event) => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -bins.length, End: bins.length }[event.key];
    if (event.key === "Enter") pick(Math.min(from, to), Math.max(from, to));
    else if (step) { to = Math.max(0, Math.min(bins.length - 1, to + step)); if (!event.shiftKey) from = to; say(); } else return;
    event.preventDefault();
  };
  const box = h("div", { class: "columns", tabindex: "0", role: "slider", "aria-label": `${label}. Arrow keys move, Shift extends, Enter filters.`, "aria-valuemin": "0", "aria-valuemax": String(bins.length - 1), "aria-valuenow": String(to), "aria-valuetext": bins[to].title,
    on: { keydown: key, focus: () => { if (box.matches(":focus-visible")) say(); }, blur: () => frame.setAttribute("visibility", "hidden") } }, svg);
  return box;
}

/// One bar of the outcomes.
export function bar(counts) {
  const total = KINDS.reduce((n, kind) => n + (counts[kind] ?? 0), 0);
  let x = 0;
  return s("svg", { class: "parts", viewBox: "0 0 100 6", preserveAspectRatio: "none", role: "img", "aria-label": total ? KINDS.filter((kind) => counts[kind]).map((kind) => `${OUTCOMES[kind].word} ${number(counts[kind])}`).join(", ") : "none" },
    s("rect", { class: "rail", width: 100, height: 6 }), KINDS.map((kind) => { const size = (counts[kind] ?? 0) / (total || 1) * 100; const part = size > 0 && s("rect", { class: `q-${kind}`, x, width: Math.max(size, .8), height: 6 }); x += size; return part; }));
}
