// A rejection: the reason, whose fault it is, what to do, and how sure the mock is.
import { h } from "../dom.js";
import { safe } from "../strangers.js";
import { icon } from "../icons.js";
import { command } from "../copy.js";
import { word } from "./commands.js";
import { store } from "../shared/store.js";

const MARKS = { "?": [1, "A guess"], 1: [2, "A hint from one source"], AA: [3, "From an archived Apple guide"], O: [4, "Observed on the real service"], A: [5, "Documented by Apple"], "2+": [6, "Confirmed by several sources"] };
const markOf = (mark) => Object.hasOwn(MARKS, mark) ? MARKS[mark] : [1, "Unknown"];
const AGAIN = { never: "No: the same push can’t succeed.", afterCorrection: "After a correction.", later: "Later; wait longer each time.", onNewConnection: "At once, on a new connection.", withNewProviderToken: "With a new provider token, on a new connection." };

export function verdict(push) {
  const reason = store.reasons.get(push.reason);
  const todo = [reason?.advice, push.remedy && `Or change the mock: ${push.remedy}`, push.fault !== undefined && "Turn off the fault, under Faults & connections."].filter(Boolean);
  return h("section", { class: "card verdict", "aria-label": "Verdict" },
    h("div", { class: "top" }, h("span", { class: "big" }, String(push.status)), h("div", {}, h("h2", {}, safe(push.reason ?? "No reason", 60)), h("p", {}, safe(push.detail ?? reason?.meaning ?? "", 600)))),
    h("div", { class: "body" },
      h("div", {}, todo.length > 0 && [h("h3", {}, "What to do"), h("ol", {}, todo.map((step) => h("li", {}, h("span", {}, safe(step, 600)))))],
        reason && h("dl", { class: "qa" }, h("dt", {}, "Whose fault"), h("dd", {}, reason.fault), h("dt", {}, "Send again"), h("dd", {}, AGAIN[reason.again] ?? reason.again), reason.ends_device_token && [h("dt", {}, "Device token"), h("dd", {}, "Remove it for this topic: it is no longer valid.")]),
        reason && command(`pushsend explain ${word(push.reason)}`)),
      h("div", {}, sure(push))));
}

function sure(push) {
  if (push.fault !== undefined) return [h("h3", {}, "Why this answer?"), h("p", { class: "by-fault" }, icon("plug"), h("span", {}, "A fault gave it: ", safe(push.fault_name ?? `number ${push.fault}`, 80), ". The push itself wasn’t checked."))];
  const [level, words] = markOf(push.confidence);
  return h("div", { class: "sure", "data-level": level }, h("h3", {}, "How sure is the mock?"),
    h("div", { class: "scale", role: "img", "aria-label": `Certainty ${level} of 6` }, Array.from({ length: 6 }, (_, i) => h("i", { class: i < level && "on" }))),
    h("p", {}, h("strong", {}, words), h("span", { class: "faint" }, `  mark ${push.confidence ?? "?"}`)), push.fact && h("blockquote", {}, safe(push.fact, 400)), push.check && h("p", { class: "faint" }, "Check: ", safe(push.check, 120), ". The first failed check decides."));
}

export const markPill = (mark) => h("span", { class: `pill ${markOf(mark)[0] < 3 ? "warn" : ""}`, title: `${markOf(mark)[1]} (mark ${mark})` }, markOf(mark)[1]);
