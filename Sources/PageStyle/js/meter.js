// A small bar: how much of how much. Drawn, because browsers disagree on <meter>.
import { s } from "./dom.js";

export function meter(value, max, label, tone = "") {
  const share = Math.min(1, max ? value / max : 0);
  return s("svg", { class: `meter ${tone}`, role: "img", "aria-label": `${label}: ${value} of ${max}` },
    s("rect", { class: "rail", width: "100%", height: "100%" }), share > 0 && s("rect", { class: "fill", width: `${Math.max(1.2, share * 100).toFixed(2)}%`, height: "100%", rx: 2.5 }));
}

export const toneOf = (value, max, warn = .7, bad = .9) => value >= max * bad ? "bad" : value >= max * warn ? "warn" : "";
