// What happened to Ann's push, and what did it say?
import { h, put, number, s, some } from "../dom.js";
import { exact, get, write } from "../api.js";
import { copy, toast } from "../copy.js";
import { icon } from "../icons.js";
import { moment as step } from "../line.js";
import { plain, safe } from "../strangers.js";
import { repeat } from "../page.js";
import { bytes, check, curl, payloadCode, requestOf, says, size } from "../payload.js";
import { anchor, appName, button, confirm, fact, seconds, sentence, span, when } from "../parts.js";
import { link, toPush } from "../route.js";
import { may } from "../session.js";
import { OUTCOMES, WAITS, cancelled, meaning } from "../words.js";

const PAUSE = 2500;

export function push({ id }) {
  const page = h("div", { class: "page push" });
  let shown = "", checked = null, alike = null;
  const load = async () => {
    // A push with its outcome changes only by its webhook.
    const job = await exact(`/v1/notifications/${encodeURIComponent(id)}`);
    const key = JSON.stringify(job);
    if (key === shown) return;
    shown = key;
    draw(page, job, checked, alike);
    document.title = `${plain(says(job).title, 60)} – pushserve`;
    if (!checked && job.payload !== undefined && may("send")) { checked = await check(requestOf(job), text(job)).catch(() => null); if (checked) draw(page, job, checked, alike); }
    if (alike === null && job.outcome?.reason) { alike = await count(job).catch(() => 0); if (alike > 1) draw(page, job, checked, alike); }
  };
  const { stop } = repeat(page, load, PAUSE);
  return { body: page, leave: stop };
}

const text = (job) => JSON.stringify(job.payload, null, 2);
const count = async (job) => (await get("/v1/statistics", { by: "reason", app: job.app })).items.find((each) => each.kind === job.outcome.kind && each.reason === job.outcome.reason)?.count ?? 0;

function draw(page, job, findings, alike) {
  const kind = OUTCOMES[job.outcome?.kind] ?? WAITS[job.state] ?? WAITS.waiting, says_ = says(job);
  const advice = job.outcome ? meaning(job.outcome.kind, job.outcome.reason) : { means: kind.why, todo: [] }, status = job.outcome?.status;
  const isWaiting = ["held", "waiting", "leased"].includes(job.state), isAccepted = job.outcome?.kind === "accepted";
  const cancel = () => confirm({ title: "Cancel this push?", text: "It ends as not sent, with the reason cancelled. You can’t undo this.", word: "Cancel the push", action: async () => { const { result } = await write("DELETE", `/v1/notifications/${encodeURIComponent(job.id)}`); toast(cancelled(result), result === "cancelled" ? "check" : "warn"); } });
  const target = job.channel ? fact("Channel", h("code", { class: "whole" }, safe(job.channel, 200))) : fact("Device token", h("code", { class: "whole" }, safe(job.token, 600)), h("a", { href: link("search", { q: job.token }) }, "All pushes to it"));
  put(page,
    h("div", { class: "detail-bar" }, anchor(job.outcome ? "Outcomes" : "Waiting", job.outcome ? "#/outcomes" : "#/waiting", { name: "left", kind: "bare" }), h("div", { class: "actions" },
      job.payload !== undefined && button("Copy as curl", () => copy(curl(job), "Copied as curl. It reads the key from $PUSHSERVE_API_KEY."), { name: "copy" }),
      isWaiting && may("cancel") && button("Cancel…", cancel, { kind: "quiet-danger" }), job.outcome && job.payload !== undefined && may("send") && anchor("Send again", link("compose", { from: job.id }), { name: "replay", kind: "primary" }))),
    h("header", { class: "push-head" }, h("div", { class: "marks" }, h("span", { class: `pill ${kind.tone}` }, icon(kind.icon), kind.word), status && h("span", { class: `pill mono ${status === 200 ? "ok" : "bad"}` }, String(status)), job.push_type && h("span", { class: "pill" }, safe(job.push_type, 40)),
      job.campaign && h("a", { class: "pill accent", href: `#/campaigns/${encodeURIComponent(job.campaign)}` }, icon("flag"), `Line ${number(job.line ?? 0)} of a campaign`)),
      h("h1", {}, safe(says_.title, 160)), says_.body && h("p", {}, safe(says_.body, 400))),
    !isAccepted && h("section", { class: `card verdict ${kind.tone}` }, h("h2", { class: job.outcome?.reason && "mono" }, job.outcome ? job.outcome.reason ? safe(job.outcome.reason, 100) : "No answer" : [kind.word, ", due ", when(job.deliver_at)]), h("p", {}, advice.means, " ", job.outcome?.detail && (job.outcome.kind !== "rejected" || !advice.means) && safe(sentence(job.outcome.detail), 400)),
      advice.todo.length > 0 && h("ol", {}, advice.todo.map((each) => h("li", {}, each))), alike > 1 && h("p", { class: "like" }, h("a", { href: link("outcomes", { app: job.app, outcome: job.outcome.kind, reason: job.outcome.reason }) }, `${some(alike, "push", "pushes")} of ${plain(job.app, 40)} ended like this in the last hour`)),
      job.redriven_as && h("p", { class: "like" }, h("a", { href: toPush(job.redriven_as) }, "It was sent again as a new push"))),
    h("dl", { class: "facts card" }, fact("App", appName(job.app)), target, fact("Priority", job.priority ? String(job.priority) : "–", { 10: "at once", 5: "saves power", 1: "least urgent" }[job.priority] ?? "the app’s own"), fact("Expires", job.expires_at ? when(job.expires_at) : "never", job.outcome ? null : "if it is still waiting then")),
    h("div", { class: "two" },
      h("div", { class: "stackup" }, payloadCard(job, findings), h("section", { class: "card" }, h("header", {}, h("h2", {}, "Request")), request(job))),
      h("div", { class: "stackup" }, h("section", { class: "card" }, h("header", {}, h("h2", {}, "Timeline"), h("p", {}, job.finished_at ? `${span(seconds(job.queued_at, job.finished_at))} from request to outcome` : "no outcome yet")), spent(job), timeline(job)),
        isAccepted && h("section", { class: "card means" }, h("header", {}, h("h2", {}, "What accepted means")), h("p", {}, advice.means, " If nothing arrived, look at the phone’s side: ", h("code", {}, "pushsend doctor"), " lists the causes.")))));
}

function payloadCard(job, findings) {
  const title = h("h2", {}, "Payload");
  if (job.payload === undefined) return h("section", { class: "card", "aria-label": "Payload" }, h("header", {}, title), h("div", { class: "nothing slim" }, h("b", {}, { withheld: "The payload is withheld", erased: "The payload was erased" }[job.payload_state] ?? "There is no payload"),
    h("p", {}, { withheld: "The service’s configuration withholds payloads (page: {payloads: false}), since they can be personal.", erased: "It concerned a device that was erased, its time to keep is over, or it was refused in an inbox." }[job.payload_state] ?? "")));
  return h("section", { class: "card", "aria-label": "Payload" }, h("header", {}, title, h("p", {}, job.vars ? "template with values" : bytes(size(job.payload))),
    h("div", { class: "push-right actions" }, findings && (findings.length ? h("span", { class: "pill warn" }, icon("warn"), `${findings.length} to look at`) : h("span", { class: "pill ok" }, icon("check"), "No findings")), button(null, () => copy(text(job), "Payload copied"), { name: "copy", kind: "icon small bare", "aria-label": "Copy the payload" }))),
    payloadCode(text(job), findings ?? []), findings?.filter((each) => !each.line).map((each) => h("p", { class: "loose" }, icon("warn"), h("span", {}, safe(each.problem, 300), " ", h("b", {}, safe(each.remedy, 300))))), job.vars && [h("h3", { class: "sub" }, "Values"), payloadCode(JSON.stringify(job.vars, null, 2), [], "Values")]);
}

function request(job) {
  const kv = (name, value, note, absent = "none") => h("tr", { class: value ? "" : "absent" }, h("th", { scope: "row" }, name), h("td", {}, h("code", {}, value ? safe(value, 300) : absent), value && note && h("span", {}, note)));
  return h("table", { class: "kv" }, h("tbody", {}, kv("id", job.id, "also the apns-id of each try"), kv("topic", job.topic), kv("push_type", job.push_type, null, "from the payload"), kv("collapse_id", job.collapse_id), kv("dedupe_key", job.dedupe_key), kv("trace_id", job.trace_id), job.outcome?.apns_unique_id && kv("apns-unique-id", job.outcome.apns_unique_id, "for Apple’s delivery log"), kv("queue_priority", job.queue_priority)));
}

/// Where the time went: one bar from the moment that it was due to the outcome.
function spent(job) {
  const tries = (job.tries ?? []).filter((each) => each.started_at && each.ended);
  if (!tries.length || !job.finished_at) return null;
  const begin = new Date(Math.max(new Date(job.queued_at), new Date(job.deliver_at))), sending = tries.reduce((n, each) => n + seconds(each.started_at, each.ended), 0);
  const pieces = [["wait", tries.length === job.tries.length ? "Queue" : "Queue and earlier tries", seconds(begin, tries[0].started_at)], ["back", "Between tries", seconds(tries[0].started_at, tries.at(-1).ended) - sending], ["apple", "Apple", sending]].filter(([, , size]) => size > 0.0005);
  const total = pieces.reduce((n, [, , size]) => n + size, 0) || 1;
  let x = 0;
  return h("div", { class: "spent" }, s("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": pieces.map(([, name, size]) => `${name} ${span(size)}`).join(", ") || "Less than a millisecond" }, pieces.map(([key, , size]) => { const width = size / total * 100; const bar = s("rect", { class: `sp-${key}`, x, width: Math.max(1, width - .4), height: 8 }); x += width; return bar; })),
    h("ul", {}, pieces.map(([key, name, size]) => h("li", {}, h("i", { class: `dot sp-${key}` }), name, h("b", {}, span(size))))));
}

const RESULTS = { accepted: ["ok", "check", "accepted"], rejected: ["bad", "cross", "rejected"], unknown: ["soft", "warn", "no answer"], not_sent: ["never", "block", "not sent"], retried: ["soft", "replay", "will be tried again"], worker_lost: ["soft", "server", "its worker was lost"], running: ["now", "send", "runs"] };

function timeline(job) {
  const line = (kind, name, title, said, at) => step({ kind, name, title, texts: [said && h("span", {}, said)], at });
  // Of earlier tries, the service may know only the end.
  const all = job.tries ?? [], first = Math.max(1, job.attempts - all.length + 1);
  const tries = all.flatMap((each, i) => {
    const [tone, name, word] = RESULTS[each.result] ?? ["", "info", plain(each.result, 30)], before = all[i - 1];
    const gap = before?.ended && each.started_at ? seconds(before.ended, each.started_at) : 0;
    const took = each.ended && each.started_at && `${["accepted", "rejected"].includes(each.result) ? "answer" : "ended"} after ${span(seconds(each.started_at, each.ended))}`;
    const said = [each.worker && safe(each.worker, 60), took && (each.worker ? `, ${took}` : sentence(took)), each.detail && each.detail !== each.result && [h("br"), safe(each.detail, 300)]];
    return [gap > .5 && line("gap", "clock", `Waited ${span(gap)}`, before.worker !== each.worker && each.worker ? [safe(each.worker, 60), " took over"] : "The service retries by itself."), line(tone, name, `Try ${first + i}: ${word}`, said, each.started_at ?? each.ended)];
  });
  const wait = all[0]?.started_at && seconds(new Date(Math.max(new Date(job.queued_at), new Date(job.deliver_at))), all[0].started_at), kind = OUTCOMES[job.outcome?.kind];
  return h("ol", { class: "line" }, line("", "arrowin", "Queued", "On disk before the request was answered", job.queued_at), line("", "clock", "Due", wait > 5 ? `Waited ${span(wait)} for its turn` : seconds(job.queued_at, job.deliver_at) > 1 ? "As it was asked for" : "At once", job.deliver_at),
    job.claimed_by && line("now", "server", "Claimed", safe(job.claimed_by, 80), null), first > 1 && line("gap", "more", `${first - 1} earlier tries`, "Only the last ones are kept.", null), tries, job.lost_workers > 0 && line("soft", "server", `${some(job.lost_workers, "worker")} lost with it`, "After some more, it becomes a dead letter.", null),
    kind ? line(kind.tone, kind.icon, job.outcome.reason ? [kind.word, ": ", safe(job.outcome.reason, 80)] : kind.word, "The outcome is stored. It never changes.", job.finished_at) : !all.length && line("never", "server", "Not sent yet", job.state === "leased" ? null : "You can still cancel it.", null), hookLine(job, line));
}

function hookLine({ webhook, app }, line) {
  if (!webhook) return null;
  const page = h("a", { href: link(`webhooks/${encodeURIComponent(app)}`) }, "The webhook of ", safe(app, 40));
  const said = webhook.detail ? [safe(webhook.detail, 200), h("br")] : null;
  if (webhook.state === "delivered") return line("ok", "hook", "Webhook delivered", page, null);
  if (webhook.state === "not_wanted") return line("never", "hook", "No webhook", "It didn’t ask for this outcome.", null);
  if (webhook.state === "given_up") return line("bad", "hook", "Webhook given up", [said, page], null);
  return line("soft", "hook", webhook.state === "failing" ? `Webhook failed ${some(webhook.failures ?? 1, "time")}` : "Webhook waits", [said, webhook.next_at && ["Next try ", when(webhook.next_at), ". "], page], null);
}
