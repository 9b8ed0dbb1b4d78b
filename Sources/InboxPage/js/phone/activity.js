// A Live Activity. Which key is the line, the time and the progress is in the profile; without one, keys and values are listed.
import { h, s } from "../dom.js";
import { plain, safe } from "../strangers.js";
import { icon } from "../icons.js";
import { tile } from "../shared/tile.js";
import { app, appName } from "../shared/store.js";
import { minute } from "../times.js";

export function activity(state, phoneID) {
  const name = state.app ?? appName(state.topic, phoneID);
  const label = ["Live Activity", name, state.title, state.line, state.time, ...(state.mapped ? [] : state.fields.map((field) => field.join(" "))), state.stale && "stale", state.ended && "ended"].filter(Boolean).join(", ");
  return h("a", { class: `activity${state.stale ? " is-stale" : ""}${state.ended ? " has-ended" : ""}`, href: `#/push/${state.push}`, "data-n": state.push, "aria-label": plain(label) },
    h("span", { class: "row" }, tile(app(state.topic, phoneID), state.topic),
      h("span", {}, h("b", {}, safe(state.title ?? name, 80)), h("i", {}, safe(state.mapped ? state.line ?? "" : state.type ?? "", 100))),
      state.mapped && state.time && h("span", { class: "eta" }, h("b", {}, safe(/^\d{4}-\d\d-\d\dT/.test(state.time) ? minute(state.time) : state.time, 12)))),
    state.mapped && state.progress?.of > 0 && route(state.progress),
    !state.mapped && fields(state.fields),
    marks(state));
}

function fields(all) {
  const shown = all.slice(0, 6);
  return h("span", { class: "pairs" }, shown.map(([key, value]) => [h("span", { class: "key" }, safe(key, 40)), h("span", { class: "value" }, safe(value, 80))]),
    all.length > shown.length && h("span", { class: "key" }, `and ${all.length - shown.length} more`));
}

function marks(state) {
  const words = [state.ended && "ended", !state.ended && state.stale && "stale", state.channel && "by channel", state.ended && state.dismissal && `until ${minute(state.dismissal)}`].filter(Boolean);
  return words.length > 0 && h("span", { class: "state" }, icon(state.channel ? "channel" : "clock"), words.join(" · "));
}

function route({ done, of }) {
  const stops = Math.min(Math.max(1, Math.round(of)), 12);
  const width = 300, step = width / stops, at = Math.min(1, Math.max(0, done / of)) * width;
  const marks = Array.from({ length: stops + 1 }, (_, i) => s("circle", { cx: i * step, cy: 11, r: i === stops ? 5 : 3, fill: i * step <= at ? "#ffcf87" : "#7c8799", stroke: "#10141c", "stroke-width": i === stops ? 0 : 1.5 }));
  return s("svg", { class: "route", viewBox: `-8 0 ${width + 16} 22`, "aria-hidden": "true" },
    s("rect", { x: 0, y: 9.5, width, height: 3, rx: 1.5, fill: "#5b6577" }), s("rect", { x: 0, y: 9.5, width: at, height: 3, rx: 1.5, fill: "#ffcf87" }), marks,
    s("circle", { cx: at, cy: 11, r: 7.5, fill: "#ffcf87", stroke: "#10141c", "stroke-width": 3 }));
}
