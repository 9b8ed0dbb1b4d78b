// Does it work at all? One push, checked while you type, with its outcome.
import { h, put } from "../dom.js";
import { exact, send } from "../api.js";
import { toast } from "../copy.js";
import { drawText, editor, jump } from "../editor.js";
import { findingRow } from "../findings.js";
import { icon } from "../icons.js";
import { SEND } from "../keys.js";
import { meter, toneOf } from "../meter.js";
import { safe, plain } from "../strangers.js";
import { noScope } from "../page.js";
import { bodyOf, bytes, check } from "../payload.js";
import { field, head, options, seconds, span } from "../parts.js";
import { link, toPush } from "../route.js";
import { apps, may } from "../session.js";
import { OUTCOMES, meaning } from "../words.js";
import { state } from "../watch.js";

const PAUSE = 500, MOST = 4096;
const TEMPLATES = {
  Alert: { aps: { alert: { title: "Your order is on its way", body: "Look for the parcel this afternoon." }, sound: "default" }, order: 714 },
  Urgent: { aps: { alert: { title: "Your taxi waits", body: "At the door, for five minutes." }, "interruption-level": "time-sensitive", sound: "default" } },
  Picture: { aps: { alert: { title: "Anna sent a picture", body: "From the pier" }, "mutable-content": 1, "thread-id": "anna" }, picture: "https://example.com/pier.jpg" },
  Badge: { aps: { badge: 3 } },
  Background: { aps: { "content-available": 1 }, refresh: "messages" },
};
// Kept while the page is open, so that a look at another view loses nothing.
let draft = null;
/// The next session can be another person's.
export const forgetDraft = () => { draft = null; };

export function compose({ filter }) {
  const page = h("div", { class: "page" });
  if (!may("send")) { put(page, noScope("send")); page.dataset.loaded = ""; return { body: page }; }
  let timer, isOpen = true, turn = 0;
  const start = async () => {
    const from = filter.from ? await exact(`/v1/notifications/${encodeURIComponent(filter.from)}`).catch((error) => { toast(error.message, "warn"); return null; }) : null;
    if (isOpen) draw(from);
  };
  const draw = (from) => {
    const given = from ?? (filter.token ? { token: filter.token, app: filter.app } : draft) ?? {};
    const { area, code, paper } = editor(given.text ?? JSON.stringify(given.payload ?? TEMPLATES.Alert, null, 2));
    const notes = h("ul", { class: "lint", "aria-live": "polite" }), gauge = h("div", { class: "size" }), answer = h("div", { class: "answer-box", role: "status" });
    const app = h("select", {}, options(apps().map((each) => [each, plain(each, 60)]), given.app)), token = h("input", { class: "mono", value: given.token ?? given.channel ?? "", placeholder: "5f3ad1c07b9e4286…", spellcheck: "false", autocomplete: "off", required: true, "aria-label": given.channel ? "Channel" : "Device token" });
    const type = h("select", {}, options([["", "from the payload"], ...["alert", "background", "voip", "liveactivity", "complication", "fileprovider", "location", "mdm", "pushtotalk", "widgets", "controls", "accessory"].map((each) => [each, each])], given.push_type)), priority = h("select", {}, options([["", "the app’s own"], ["10", "10, at once"], ["5", "5, saves power"], ["1", "1"]], given.priority ? String(given.priority) : ""));
    const collapse = h("input", { class: "mono", value: given.collapse_id ?? "", placeholder: "none", maxlength: "64" }), at = h("input", { type: "datetime-local", value: given.at ?? "" });
    const sender = h("button", { class: "btn primary", type: "submit" }, icon("send"), "Send and wait", h("kbd", {}, SEND));
    const members = () => ({ app: app.value, [given.channel ? "channel" : "token"]: token.value.trim(), topic: from?.topic, push_type: type.value, priority: priority.value ? Number(priority.value) : undefined, collapse_id: collapse.value.trim(), deliver_at: at.value ? new Date(at.value).toISOString() : undefined, once: from?.once, queue_priority: from?.queue_priority, vars: from?.vars });
    const show = (found) => {
      drawText(area, code, found ?? []);
      if (found) put(notes, found.length ? found.map((each) => findingRow(each, () => jump(area, each))) : h("li", {}, h("div", { class: "fine" }, icon("check"), "No problems found.")));
    };
    const edited = () => {
      draft = { text: area.value, app: app.value, token: token.value, push_type: type.value, priority: priority.value, collapse_id: collapse.value, at: at.value };
      const count = new TextEncoder().encode(area.value).length;
      put(gauge, meter(count, MOST, "Bytes of the payload", toneOf(count, MOST, .85, 1)), h("span", {}, bytes(count)));
      show(null);
      clearTimeout(timer);
      timer = setTimeout(examine, PAUSE);
    };
    const examine = async () => {
      const mine = ++turn;
      // A device token that is missing is no mistake of the payload.
      const found = await check({ ...members(), token: given.channel ? undefined : token.value.trim() || "00".repeat(32) }, area.value).catch((error) => [{ severity: "error", problem: error.message, remedy: "", rule: error.code ?? "" }]);
      if (mine === turn && isOpen) { show(found); page.dataset.checked = String(found.length); }
    };
    const submit = async (event) => {
      event.preventDefault();
      sender.disabled = true;
      delete page.dataset.answered;
      put(answer, h("p", { class: "going" }, h("span", { class: "beat" }), at.value ? "Sent to the queue…" : "Queued. Waiting up to 10 s for the outcome…"));
      try { result(await send("POST", `/v1/notifications${at.value ? "" : "?wait=10s"}`, bodyOf(members(), area.value))); } catch (error) { say("bad", "cross", "It wasn’t accepted", error.message); show((error.form?.findings ?? []).map((each) => ({ ...each, problem: each.detail, line: each.line > 1 ? each.line - 1 : undefined }))); }
      sender.disabled = false;
      page.dataset.answered = "";
    };
    const say = (tone, name, title, text, href) => put(answer, h("div", { class: tone }, icon(name), h("div", {}, h("b", {}, title), h("p", {}, text)), href && h("a", { class: "btn small", href }, "See it")));
    const result = ({ id, result: kind, notification: job }) => {
      const outcome = job?.outcome, place = toPush(id);
      if (kind === "duplicate") return say("warn", "info", "This push was sent before", "Its dedupe key is known, so it wasn’t sent again.", place);
      if (!outcome) { const stopped = state.status?.apps.find((each) => each.name === app.value && each.state !== "running"); return say("warn", "clock", at.value ? "It waits for its time" : stopped ? `No outcome yet: ${stopped.name} is ${stopped.state}` : "No outcome yet", at.value ? "You can cancel it as long as it waits." : stopped ? "The push waits, and is sent when the app sends again." : "The push is on disk. It is sent when its turn comes.", place); }
      const { word, tone, icon: name } = OUTCOMES[outcome.kind], advice = meaning(outcome.kind, outcome.reason);
      say(tone || "warn", name, [word, outcome.reason && [": ", safe(outcome.reason, 80)], job.finished_at && ` after ${span(seconds(job.queued_at, job.finished_at))}`], [advice.means || (outcome.detail && safe(outcome.detail, 300)), " ", advice.todo[0]], place);
    };
    const template = (name) => { area.value = JSON.stringify(TEMPLATES[name], null, 2); edited(); area.focus(); };
    const form = h("form", { class: "composer card", on: { submit } },
      h("div", { class: "editor" }, h("div", { class: "seg", role: "group", "aria-label": "Templates" }, Object.keys(TEMPLATES).map((name) => h("button", { type: "button", on: { click: () => template(name) } }, name))), paper, gauge),
      h("div", { class: "side" }, field("App", app), field(given.channel ? "Channel" : "Device token", token), h("div", { class: "pair" }, field("Push type", type), field("Priority", priority)), field("Collapse id", collapse), field("Deliver at (empty: at once)", at), h("section", {}, h("h2", {}, "Check"), notes), answer, h("footer", {}, sender)));
    for (const each of [area, app, token, type, priority, collapse, at]) each.addEventListener("input", edited);
    put(page, head(from ? "Send again" : "Compose", from ? h("span", {}, "A new push with the same request as ", h("a", { class: "link", href: link(`push/${encodeURIComponent(from.id)}`) }, "this one"), ". It gets its own id and no dedupe key, so it isn’t dropped as a duplicate.") : null), form);
    edited();
    page.dataset.loaded = "";
  };
  start();
  return { body: page, leave: () => { isOpen = false; clearTimeout(timer); } };
}
