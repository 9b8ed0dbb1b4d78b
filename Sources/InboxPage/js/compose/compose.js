// The composer: the payload on the left, what is wrong with it on the right, and what a phone would show on the phone.
import { h, put, $ } from "../dom.js";
import { icon } from "../icons.js";
import { find, bytes, get, write } from "../shared/api.js";
import { can, phone, say, store, when } from "../shared/store.js";
import { readBody } from "../shared/body.js";
import { attempt, toast } from "../copy.js";
import { editor, drawText, jump } from "../editor.js";
import { drawSize } from "./size.js";
import { drawFindings } from "./lint-list.js";
import { drawOnPhone, drawPreview } from "./preview.js";
import { templateMenu } from "./templates.js";
import { expirationOf, fieldsOf, requestFields, writtenFields } from "./request-fields.js";
import { draftFor, keepDraft } from "./drafts.js";
import { SEND } from "../keys.js";
import { parsed } from "../shared/texts.js";

const EXAMPLE = `{
    "aps": {
        "alert": {
            "title": "Order 42",
            "body": "It is on its way."
        },
        "sound": "default"
    }
}`;
const PAUSE = 250;
let templates = null, listening, timer, trying, drawn = 0, asked = 0, tried = 0, latest = null;

/// - `wanted`: the name of a template, or "push-133" for the payload of that push.
export async function drawCompose(wanted) {
  const here = location.hash;
  const turn = ++drawn;
  templates ??= can("templates") ? (await attempt(() => get("/templates")))?.items ?? [] : [];
  const start = await startOf(wanted);
  if (turn !== drawn || location.hash !== here) return;
  listening?.abort();
  clearTimeout(timer);
  clearTimeout(trying);
  listening = new AbortController();
  const { area, code, paper } = editor(start.text);
  put($("work"), h("form", { class: "compose", on: { submit: (event) => { event.preventDefault(); send(area); } } }, h("h1", { class: "sr" }, "Composer"),
    h("div", { class: "compose-bar" }, templates.length > 0 && templateMenu(templates, start.name),
      h("div", { class: "end" }, h("span", { class: "ok-note", id: "ready", role: "status" }),
        h("button", { class: "btn opt", type: "button", on: { click: () => replace(area, tidy(area.value)) } }, "Format"),
        can("send") && h("button", { class: "btn primary", type: "submit", id: "send" }, icon("send"), "Send to the mock", h("kbd", {}, SEND)))),
    h("div", { class: "editor" }, paper, h("div", { class: "size", id: "size" })),
    h("div", { class: "side" },
      can("lint") && h("section", {}, h("h2", { id: "lint-title" }, "Lint", h("span", { class: "n", id: "lint-n" })), h("ul", { class: "lint", id: "lint" })),
      h("section", {}, h("h2", {}, "Request"), requestFields(start)),
      h("section", {}, h("h2", {}, "On the phone"), h("ul", { class: "device-notes", id: "notes" }), h("ul", { class: "device-notes", id: "tried", "aria-label": "How this phone would show it" })))));
  const id = start.draft ?? String(Date.now());
  const update = () => { keepDraft({ id, name: start.name, text: area.value, fields: writtenFields() }); refresh(area, code, []); clearTimeout(timer); timer = setTimeout(() => lint(area, code), PAUSE); trySoon(area); };
  area.addEventListener("input", update);
  $("work").querySelector(".request").addEventListener("input", update);
  when("preview", () => { drawAgain(area); trySoon(area); }, { signal: listening.signal });
  refresh(area, code, []);
  lint(area, code);
  tryOut(area);
  document.documentElement.dataset.compose = start.name;
}

async function startOf(wanted) {
  const draft = draftFor(wanted);
  if (draft) return { ...draft.fields, name: draft.name, text: draft.text, draft: draft.id };
  const number = /^push-(\d+)$/.exec(wanted ?? "")?.[1];
  const push = number && await attempt(() => find(`/pushes/${number}`));
  if (push) {
    const body = await readBody(push, bytes);
    return { name: `push ${number}`, text: body.text, topic: push.topic, push_type: push.push_type, priority: push.priority, collapse_id: push.collapse_id, expiration: push.expiration, token: push.token };
  }
  const chosen = templates.find((each) => each.name === (wanted ?? "rich")) ?? templates[0];
  return chosen ? { ...chosen, text: chosen.payload } : { name: "example", text: EXAMPLE, topic: "com.example.app", push_type: "alert" };
}

function refresh(area, code, found) {
  drawText(area, code, found);
  drawSize(area.value);
  drawPreview(area.value, fieldsOf());
}

async function lint(area, code) {
  if (!can("lint")) return;
  const turn = ++asked;
  const text = area.value;
  const { topic, push_type, priority, collapse_id } = fieldsOf();
  // What is no number yet is refused when the push is sent.
  const expiration = /^-?\d{1,20}$/.test(expirationOf() ?? "") ? expirationOf() : undefined;
  const answer = await attempt(() => write("POST", "/lint", { payload: text, topic, push_type, priority, collapse_id, expiration }));
  if (!answer || turn !== asked || area.value !== text || !area.isConnected) return;
  drawText(area, code, answer.items);
  drawFindings(answer, { go: (each) => jump(area, each), fix: answer.fixed !== undefined ? () => replace(area, answer.fixed) : null });
}

// Requests a preview on the chosen phone: with its extension, categories, groups and permissions.
async function tryOut(area) {
  const turn = ++tried;
  const one = chosenPhone();
  const { topic, push_type, collapse_id } = fieldsOf();
  if (!one || !topic || parsed(area.value) === undefined) return;
  const text = area.value;
  const key = keyOf(text, one);
  const answer = await attempt(() => write("POST", `/phones/${encodeURIComponent(one.id)}/preview`, { payload: text, topic, push_type, collapse_id }));
  if (!answer || turn !== tried || !area.isConnected || key !== keyOf(area.value, chosenPhone())) return;
  latest = { key, answer };
  drawOnPhone(answer, one);
}

const chosenPhone = () => phone(store.phone) ?? store.phones[0];

const keyOf = (text, one) => JSON.stringify([text, one?.id, fieldsOf()]);

// The stage was redrawn, for example because a push arrived. The answer of the phone is drawn again, if it is about this payload.
function drawAgain(area) {
  const one = chosenPhone();
  if (latest?.key === keyOf(area.value, one)) drawOnPhone(latest.answer, one); else drawPreview(area.value, fieldsOf());
}

// Its own timer: a push that arrives while the user types must not delay the lint.
function trySoon(area) {
  clearTimeout(trying);
  trying = setTimeout(() => tryOut(area), PAUSE);
}

function replace(area, text) {
  area.value = text;
  area.dispatchEvent(new Event("input"));
  area.focus();
}

const tidy = (text) => { try { return JSON.stringify(JSON.parse(text), null, 4); } catch { toast("This isn’t JSON, so it can’t be formatted", "warn"); return text; } };

async function send(area) {
  if (!can("send")) return;
  const answer = await attempt(() => write("POST", "/send", { ...fieldsOf(), expiration: expirationOf(), payload: area.value }));
  if (!answer) return;
  toast(`Sent to the mock: ${answer.status} ${answer.reason ?? "accepted"}`, answer.reason ? "warn" : "send");
  say("sent", answer);
}

/// Sends the content of the composer.
export const sendNow = () => { const form = $("work").querySelector("form.compose"); if (form && store.setup && $("send")) form.requestSubmit(); };
