// Above the table: how many pushes had which outcome, and the last five minutes.
import { h, s, put, $, number } from "../dom.js";
import { icon, OUTCOME_ICON } from "../icons.js";
import { store } from "../shared/store.js";
import { select } from "./listing.js";

const ALWAYS = [["all", "All"], ["shown", "Shown"], ["quiet", "Quiet"], ["replaced", "Replaced"], ["hidden", "Not shown"], ["rejected", "Rejected"]];
const SOMETIMES = [["stored", "Stored"], ["woke", "Woke an app"], ["acted", "Acted on"], ["removed", "Removed"], ["forgotten", "Forgotten"], ["missed", "Not looked at"]];

export function drawCounts() {
  const container = $("counts");
  if (!container) return;
  const counts = store.counts ?? { all: store.total };
  const shown = [...ALWAYS, ...SOMETIMES.filter(([id]) => counts[id] > 0 || store.outcome === id)];
  for (const [id, title] of shown) {
    let button = container.querySelector(`[data-id="${id}"]`);
    if (!button) {
      button = h("button", { type: "button", "data-id": id, on: { click: () => { store.outcome = id; drawCounts(); select(); } } }, OUTCOME_ICON[id] && icon(OUTCOME_ICON[id]), title, h("span", {}));
      container.insertBefore(button, container.querySelector(".pulse"));
    }
    button.setAttribute("aria-pressed", String(store.outcome === id));
    button.lastElementChild.textContent = number(counts[id] ?? 0);
  }
  for (const button of container.querySelectorAll("button")) if (!shown.some(([id]) => id === button.dataset.id)) button.remove();
  drawPulse(container);
}

function drawPulse(container) {
  const minutes = store.minutes;
  const most = Math.max(1, ...minutes.map(([all]) => all));
  const width = 200 / Math.max(1, minutes.length);
  const height = (count) => Math.max(count > 0 ? 1.5 : .6, count / most * 23);
  const bars = minutes.map(([all, bad], at) => [
    s("rect", { class: "g", x: at * width, y: 24 - height(all), width: width * .66, height: height(all), rx: .6 }),
    bad > 0 && s("rect", { class: "r", x: at * width, y: 24 - height(bad), width: width * .66, height: height(bad), rx: .6 })]);
  let pulse = container.querySelector(".pulse");
  if (!pulse) container.append(pulse = h("div", { class: "pulse" }));
  const all = minutes.reduce((sum, [count]) => sum + count, 0), bad = minutes.reduce((sum, [, count]) => sum + count, 0);
  put(pulse, h("span", {}, "5 min"), s("svg", { viewBox: "0 0 200 24", preserveAspectRatio: "none", role: "img", "aria-label": `${number(all)} in the last five minutes, ${number(bad)} of them rejected` }, bars));
}
