// The history of a push, moment by moment.
import { h } from "../dom.js";
import { safe } from "../strangers.js";
import { moment } from "../line.js";
import { meter, toneOf } from "../meter.js";
import { after } from "../times.js";

const STAGES = {
  received: ["Received", "arrowin", ""], judged: ["Judged", "check", "ok"], refused: ["Rejected", "cross", "bad"], stored: ["Stored", "store", ""], delivered: ["Delivered", "phone", ""],
  ran: ["Extension ran", "cog", ""], shown: ["Shown", "bell", "ok"], replaced: ["Replaced", "swap", ""], acted: ["Acted on", "tap", "now"], removed: ["Removed", "trash", ""], forgotten: ["Forgotten", "clock", ""],
  discarded: ["Discarded", "trash", "never"], expired: ["Expired", "clock", "never"], woke: ["App woken", "bolt", ""], hidden: ["Not shown", "hidden", "never"],
};

/// The drawing of a step.
export const stageIcon = (stage) => Object.hasOwn(STAGES, stage) ? STAGES[stage][1] : "info";

export function timeline(stages) {
  if (!stages.length) return h("p", { class: "nothing-yet" }, "No phone has processed this push.");
  return h("ol", { class: "line" }, stages.map((stage) => {
    const [title, name, kind] = Object.hasOwn(STAGES, stage.stage) ? STAGES[stage.stage] : [stage.stage, "info", ""];
    const texts = [stage.text && h("span", {}, safe(stage.text, 400)), stage.meter && meter(stage.meter[0], stage.meter[1], "Seconds of the service extension", toneOf(...stage.meter)), stage.note && h("span", {}, safe(stage.note, 400))];
    return moment({ kind, name, title, texts, at: stage.at, shown: after(stage.after_ms), "data-stage": stage.stage });
  }));
}
