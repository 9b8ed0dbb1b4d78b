// One push, whole.
import { h, put, $, number } from "../dom.js";
import { answers } from "../shared/answers.js";
import { plain, safe } from "../strangers.js";
import { icon, TYPE_ICON } from "../icons.js";
import { bytes, find, write } from "../shared/api.js";
import { can, say, store } from "../shared/store.js";
import { outcomeOf, statusPill, typeOf } from "../shared/row.js";
import { latestRows } from "../list/rows.js";
import { alertOf, bodyBytes, isPush, parsed, textsOf } from "../shared/texts.js";
import { payload } from "./payload.js";
import { readBody } from "../shared/body.js";
import { timeline } from "./timeline.js";
import { facts } from "./facts.js";
import { frames, headers, token, tokenPill } from "./evidence.js";
import { verdict } from "./verdict.js";
import { attempt, copy, toast } from "../copy.js";
import { asCurl, asPushsend } from "./commands.js";
import { precise } from "../times.js";
import { showOnStage } from "../phone/push-stage.js";

let current = null;
const reads = answers();
// How many pushes were opened: an answer for one that was left, or opened again, is ignored.
let opened = 0;

/// Reads and draws a push. What the page shows stays while it is read again.
export async function drawDetail(n, { again = false } = {}) {
  if (!again) { opened += 1; current = null; showOnStage(null); put($("work"), h("div", { class: "nothing", "aria-busy": "true" }, `Push ${n}`)); }
  const turn = reads.ask(), mine = opened;
  const isLeft = () => mine !== opened || location.hash !== `#/push/${n}`;
  const push = await attempt(() => find(`/pushes/${n}`));
  if (isLeft()) return;
  if (push === undefined) { if (!current) put($("work"), unanswered(n)); return; }
  if (!reads.mayShow(turn)) return;
  if (!push) { put($("work"), gone(n)); showOnStage(null); say("stage"); return; }
  const isFirst = current?.number !== push.number;
  current = push;
  showOnStage(push);
  say("stage");
  if (!isFirst) { renew(push); return; }
  const [body, stream] = await Promise.all([readBody(push, bytes), attempt(() => find(`/pushes/${n}/frames`))]);
  const found = body.isText ? await lint(push, body.text) : [];
  if (isLeft()) return;
  // The push can have been read again meanwhile.
  put($("work"), page(current, body, stream, found));
  document.documentElement.dataset.detail = String(n);
}

const unanswered = (n) => h("div", { class: "nothing" }, h("b", {}, `Push ${n} couldn’t be read`), h("button", { class: "btn", type: "button", on: { click: () => drawDetail(n) } }, "Try again"));

const gone = (n) => h("div", { class: "nothing" }, h("b", {}, store.total >= n ? `Push ${n} is no longer in the log` : `Push ${n} hasn’t arrived`), h("a", { class: "link", href: "#/inbox" }, "Back to the inbox"));

async function lint(push, text) {
  if (!can("lint") || !isPush(push) || push.payload_bytes !== undefined) return [];
  const answer = await write("POST", "/lint", { payload: text, topic: push.topic, push_type: push.push_type, priority: push.priority, collapse_id: push.collapse_id, expiration: expirationOf(push) }).catch(() => null);
  return answer?.items ?? [];
}

// Without one that is no number, which the verdict names, and one that has passed only since the push arrived.
function expirationOf({ expiration, time }) {
  const end = Number(expiration) * 1000;
  return /^\d{1,20}$/.test(expiration ?? "") && !(end > Date.parse(time) && end <= Date.now()) ? expiration : undefined;
}

// After an action, only the parts that can have changed are redrawn.
function renew(push) {
  if (!$("timeline")) return;
  put($("timeline"), timeline(push.timeline ?? []));
  $("facts").replaceWith(facts(push));
  put($("sentence"), sentence(push));
}

function page(push, body, stream, found) {
  const { level, category } = alertOf(parsed(push.payload));
  const { title, body: text } = textsOf(push);
  const inPayload = found.filter((each) => each.line);
  // The rule of a rejection stands in its verdict.
  const broken = (push.violations ?? []).filter((each) => push.status < 400 || each.fact !== push.fact);
  return h("article", { class: "detail" }, bar(push, body),
    h("header", { class: "head" },
      h("div", { class: "marks" }, statusPill(push), h("span", { class: "pill" }, icon(TYPE_ICON[typeOf(push)] ?? "bell"), safe(typeOf(push), 24)), category && h("span", { class: "pill" }, safe(category, 40)),
        level && h("span", { class: level === "critical" ? "pill bad" : "pill warn" }, safe(level, 24)), found.length > 0 && h("span", { class: "pill warn" }, icon("warn"), `${found.length} finding${found.length === 1 ? "" : "s"}`), body.mark && h("span", { class: "pill warn" }, icon("alert"), body.mark)),
      h("h1", {}, title && safe(title, 400), title && text && ": ", text && safe(text, 400)), h("p", { id: "sentence" }, sentence(push))),
    push.status >= 400 && verdict(push),
    facts(push),
    h("div", { class: "two" },
      h("div", { class: "stackup" },
        card("Payload", payload(body, inPayload, push.number), h("p", {}, size(push)), body.isText && copyButton("Copy payload", body.text)),
        headerFindings(found.filter((each) => !each.line)),
        card("Headers", headers(push))),
      h("div", { class: "stackup" },
        isPush(push) && card("Timeline", h("div", { id: "timeline" }, timeline(push.timeline ?? [])), h("p", {}, precise(push.time))),
        push.key_id && card("Provider token", token(push), tokenPill(push)),
        broken.length > 0 && card("Broken rules", h("ul", { class: "broken" }, broken.map((each) => h("li", {}, icon("warn"), h("span", {}, safe(each.fact, 300), each.detail && h("small", {}, safe(each.detail, 300))))))))),
    stream && card("HTTP/2 frames", frames(stream, push), h("p", {}, `connection ${push.connection}, stream ${push.stream}`)));
}

function sentence(push) {
  const { text, why } = outcomeOf(push);
  return [text, why].filter(Boolean).map((each) => [safe(each.replace(/\.$/, ""), 400), ". "]);
}

const size = (push) => push.payload_bytes !== undefined ? `the first ${number(new TextEncoder().encode(push.payload).length)} of ${number(bodyBytes(push))} bytes` : `${number(bodyBytes(push))} of ${number(limit(push))} bytes`;
const limit = (push) => push.push_type === "voip" ? 5120 : 4096;

function headerFindings(found) {
  return found.length > 0 && card("Findings in the headers", h("ul", { class: "broken" }, found.map((each) => h("li", { class: each.severity }, icon(each.severity === "error" ? "alert" : "warn", each.severity), h("span", {}, `${plain(each.problem)} ${plain(each.remedy)}`, h("small", {}, each.rule))))));
}

function bar(push, body) {
  const rows = latestRows().map((each) => each.number);
  const at = rows.indexOf(push.number);
  const newer = at > 0 ? rows[at - 1] : at < 0 && push.number < store.total ? push.number + 1 : null;
  const older = at >= 0 && at + 1 < rows.length ? rows[at + 1] : push.number > 1 && at < 0 ? push.number - 1 : null;
  const step = (to, name, label, key) => h("a", { class: "btn icon bare step", href: to ? `#/push/${to}` : null, role: to ? null : "link", "aria-label": label, "aria-disabled": to ? null : "true", title: `${label} (${key})`, "data-step": name }, icon(name));
  const copyAs = (name, text) => h("button", { class: "btn as", type: "button", "aria-label": `Copy as ${name}`, title: `Copy as ${name}`, on: { click: () => copy(text(), `Copied as ${name}`) } }, icon("copy"), h("span", { class: "wide" }, "Copy as"), name);
  const isDevice = isPush(push) && push.token && body.isText && !body.mark;
  return h("div", { class: "detail-bar" }, h("a", { class: "btn bare", href: "#/inbox" }, icon("left"), "Inbox"), step(newer, "up", "Newer push", "K"), step(older, "caret", "Older push", "J"), h("span", { class: "pos" }, `Push ${push.number}`),
    h("div", { class: "end" }, isDevice && copyAs("curl", () => asCurl(push, body.text)), isDevice && copyAs("pushsend", () => asPushsend(push, body.text)),
      isDevice && can("replay") && h("button", { class: "btn primary", type: "button", id: "replay", title: "Resends the push to this mock, signed with the mock’s own key", on: { click: replay } }, icon("replay"), "Replay", h("kbd", {}, "R"))));
}

/// Sends the open push again, signed with the mock's own key.
export async function replay() {
  if (!current || !can("replay")) return;
  const answer = await attempt(() => write("POST", `/pushes/${current.number}/replay`));
  if (answer) toast(`Resent, signed with the mock’s own key: ${answer.status} ${answer.reason ?? "accepted"}`, "replay");
}

export const step = (name) => document.querySelector(`.detail-bar [data-step="${name}"][href]`)?.click();

function card(title, body, ...extra) {
  return h("section", { class: "card", "aria-label": title }, h("header", {}, h("h2", {}, title), extra), body);
}

const copyButton = (label, text) => h("button", { class: "btn icon small bare push-right", type: "button", "aria-label": label, on: { click: () => copy(text, "Payload copied") } }, icon("copy"));
