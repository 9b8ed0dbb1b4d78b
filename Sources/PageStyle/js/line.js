// One moment of a timeline: a mark, a title, what happened, and when.
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { precise } from "./times.js";

export function moment({ kind = "", name, title, texts = [], at, shown, ...rest }) {
  return h("li", { class: kind, ...rest }, h("span", { class: "dot" }, icon(name)), h("div", {}, h("b", {}, title), texts),
    at && h("time", { datetime: at, title: precise(at) }, shown ?? precise(at)));
}
