// The payload of a push, checked by the service, and the command that sends it again.
import { h, number } from "./dom.js";
import { send } from "./api.js";
import { code } from "./code.js";
import { icon } from "./icons.js";
import { safe } from "./strangers.js";

// Below this member, the lines of a request are those of the payload.
const BEFORE = "\"payload\":\n";

/// The body of a request. The payload stays as it was written.
export const bodyOf = (members, payload) => `{${Object.entries(members).filter(([, value]) => value !== undefined && value !== null && value !== "").map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`).join("")}${BEFORE}${payload}\n}`;

/// What the linter of the service says of a payload.
export async function check(members, payload) {
  const place = (each) => ({ ...each, problem: each.detail, severity: each.severity ?? "error", line: each.line > 1 ? each.line - 1 : undefined, rule: each.rule ?? each.code ?? "" });
  try {
    const answer = await send("POST", "/v1/notifications?validate_only=true", bodyOf(members, payload));
    return (answer.warnings ?? []).map(place);
  } catch (error) {
    if (error.status !== 422 && error.status !== 400 && error.status !== 413) throw error;
    return (error.form.findings?.length ? error.form.findings : [{ ...error.form, detail: error.detail ?? error.message, remedy: error.remedy ?? "" }]).map(place);
  }
}

export const size = (payload) => new TextEncoder().encode(JSON.stringify(payload)).length;

export function payloadCode(text, findings, label) {
  return code(text, findings, (each) => h("div", { class: `finding ${each.severity}`, role: "note" }, icon(each.severity === "error" ? "alert" : "warn", each.severity),
    h("div", {}, safe(each.problem, 400), " ", h("b", {}, safe(each.remedy, 400)), " ", h("code", {}, safe(each.rule, 60)))), label);
}

/// The words of a push: what people read, or what it is for.
export function says(job) {
  const alert = job.alert ?? job.payload?.aps?.alert;
  if (typeof alert === "string") return { title: alert };
  if (alert && typeof alert === "object") return { title: alert.title ?? alert["title-loc-key"] ?? alert.body ?? "Push", body: alert.title ? alert.body ?? alert.subtitle : undefined };
  return { title: { background: "Background push", liveactivity: "Live Activity", voip: "VoIP push" }[job.push_type] ?? "Push" };
}

export const requestOf = (job) => ({ app: job.app, token: job.token, channel: job.channel, topic: job.topic, push_type: job.push_type, priority: job.priority, collapse_id: job.collapse_id, once: job.once, queue_priority: job.queue_priority === "normal" ? undefined : job.queue_priority, vars: job.vars });

export function curl(job) {
  const body = bodyOf(requestOf(job), JSON.stringify(job.payload)).replaceAll("\n", "");
  return `curl -sS "${location.origin}/v1/notifications?wait=10s" -H "Authorization: Bearer $PUSHSERVE_API_KEY" \\\n  -H 'Content-Type: application/json' -d '${body.replaceAll("'", "'\\''")}'`;
}

export const bytes = (count) => `${number(count)} of 4,096 bytes`;
