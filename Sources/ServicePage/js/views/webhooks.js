// Do my webhooks arrive?
import { h, put, number, some } from "../dom.js";
import { get, write } from "../api.js";
import { command, copy, toast } from "../copy.js";
import { icon } from "../icons.js";
import { safe } from "../strangers.js";
import { repeat } from "../page.js";
import { payloadCode } from "../payload.js";
import { act, ago, appName, button, fact, head, nothing, pill, when } from "../parts.js";
import { toPush } from "../route.js";
import { may } from "../session.js";
import { KINDS, OUTCOMES } from "../words.js";

const PAUSE = 5000;
const STATES = { failing: ["Failing", "bad", "alert"], delivering: ["Delivering", "ok", "check"], untried: ["Not tried yet", "", "clock"] };

export function webhooks({ id }) {
  const page = h("div", { class: "page" });
  let shown = "";
  const load = async () => {
    const { items } = await get("/v1/webhooks");
    const key = JSON.stringify(items);
    // An open failure stays open, and nothing moves while a person reads.
    if (key === shown || (page.matches(":focus-within, :hover") && shown && page.querySelector(".failures:hover"))) return;
    shown = key;
    const open = new Set([...page.querySelectorAll("details[open]")].map((each) => each.dataset.key));
    const order = items.toSorted((a, b) => (b.app === id) - (a.app === id) || (b.state === "failing") - (a.state === "failing"));
    put(page, head("Webhooks", null, h("span", { class: "muted" }, "They are set up in pushserve.yaml")), order.map((hook) => one(hook, open, () => { shown = ""; now(); })), items.length === 0 && h("section", { class: "card" }, nothing("No webhook", "A webhook posts each outcome to an address of yours, signed. Give an app one in pushserve.yaml:", command("webhook: {url: https://example.com/push-outcomes, secrets_file: webhook.secrets}", { prompt: false }))));
    page.dataset.hooks = String(items.length);
  };
  const { stop, now } = repeat(page, load, PAUSE);
  return { body: page, leave: stop };
}

/// What came of a retry, in words.
export const retried = ({ result, events }) => result === "nothing_failed" ? "Nothing has failed, so there was nothing to post" : `${some(events, "event")} that failed ${events === 1 ? "is" : "are"} posted now`;

function one(hook, open, changed) {
  const place = `/v1/webhooks/${encodeURIComponent(hook.app)}`;
  const test = async () => { const { result, detail } = await write("POST", `${place}/test`); toast(result === "taken" ? `${hook.app} has taken the test event` : `${hook.app}: ${detail}`, result === "taken" ? "check" : "warn"); changed(); };
  const retry = async () => { toast(retried(await write("POST", `${place}/retry`))); changed(); };
  const isAll = KINDS.every((kind) => hook.outcomes.includes(kind));
  return h("section", { class: `card hook ${hook.state}`, "aria-label": `Webhook of ${hook.app}` },
    h("header", {}, h("h2", {}, appName(hook.app)), pill(STATES[hook.state] ?? [hook.state, "", "info"]), h("code", { class: "url" }, safe(hook.url, 300)),
      may("admin") && h("div", { class: "actions push-right" }, hook.state === "failing" && act("Try now", retry, { name: "replay", kind: "small primary" }), act("Send a test event", test, { name: "send", kind: "small" }))),
    h("dl", { class: "facts" }, fact("Last answer", hook.last_answer_at ? h("span", { class: `out ${hook.state === "failing" ? "bad" : "ok"}` }, icon(hook.state === "failing" ? "cross" : "check"), h("span", {}, hook.last_answer ? safe(hook.last_answer, 120) : "taken")) : "none yet", hook.last_answer_at && ago(hook.last_answer_at)),
      fact("Waiting events", hook.waiting >= 1000 ? "1,000 or more" : number(hook.waiting), hook.oldest_waiting_at ? ["oldest from ", when(hook.oldest_waiting_at)] : "all delivered"), fact("Gets", isAll ? "every outcome" : hook.outcomes.map((kind) => OUTCOMES[kind]?.word ?? kind).join(", "), "signed"),
      fact("Failing since", hook.failing_since ? when(hook.failing_since) : "–", hook.failing_since ? ago(hook.failing_since).replace(" ago", "") : "it delivers")),
    hook.failures.length > 0 && h("div", { class: "failures" }, h("h3", {}, `Failures of the last 7 days${hook.failures.length >= 20 ? ", the newest 20" : ""}`), hook.failures.map((each, i) => {
      const key = `${hook.app} ${each.id} ${each.at}`, body = JSON.stringify(each.body, null, 2), isLeftOut = body === "{}";
      return h("details", { open: open.size ? open.has(key) : i === 0 && hook.state === "failing", "data-key": key }, h("summary", {}, icon("right"), when(each.at), each.given_up && h("span", { class: "pill bad" }, "given up"), h("span", { class: "answer" }, safe(each.detail, 160))),
        h("div", { class: "posted" }, h("div", {}, h("h4", {}, "What was posted"), each.id && h("a", { class: "btn small bare", href: toPush(each.id) }, "The push"), !isLeftOut && button("Copy", () => copy(body, "Body copied"), { name: "copy", kind: "small bare push-right" })), isLeftOut ? h("p", { class: "faint" }, "The body isn’t kept, since it’s larger than 16 KB.") : payloadCode(body, [], "Posted body")));
    })));
}
