// Who may do what? Making a key stays a command, so that a page never shows a secret.
import { h, put, some } from "../dom.js";
import { get, write } from "../api.js";
import { command, toast } from "../copy.js";
import { icon } from "../icons.js";
import { safe } from "../strangers.js";
import { noScope, repeat } from "../page.js";
import { ago, appName, button, confirm, head, seconds, table, when } from "../parts.js";
import { apps, may } from "../session.js";

const IDLE = 30 * 86400;

export function keys() {
  const page = h("div", { class: "page" });
  if (!may("admin")) { put(page, noScope("admin")); page.dataset.loaded = ""; return { body: page }; }
  const load = async () => {
    const { items } = await get("/v1/keys");
    put(page, head("Keys", some(items.length, "key")), h("section", { class: "card" }, table("Keys", [["Key", "c-name"], ["May", "c-may"], ["Apps", "c-apps"], ["Last used", "c-used"], ["Made", "c-made opt"], ["", "c-act"]], items.map((key) => row(key, now)), "keys still tall")),
      h("section", { class: "card how" }, h("header", {}, h("h2", {}, "Make a key"), h("p", {}, "The secret is printed once, in your terminal. The database keeps only its hash.")), command(`pushserve key create --app ${apps()[0] ?? "NAME"} --scope send,read --name "the dashboard"`)));
    page.dataset.keys = String(items.length);
  };
  const { stop, now } = repeat(page, load);
  return { body: page, leave: stop };
}

function row(key, changed) {
  const isIdle = seconds(key.last_used_at ?? key.created_at) > IDLE, used = key.last_used_at ? ago(key.last_used_at) : "never used";
  const revoke = () => confirm({ title: ["Revoke “", safe(key.name || key.id, 60), "”?"], text: key.is_own ? "This is the key of this session: the console logs out, and every program with the key stops." : `Programs with the key are refused from now on. It was ${key.last_used_at ? `last used ${used}` : "never used"}. You can’t undo this.`, word: "Revoke the key", action: async () => { await write("DELETE", `/v1/keys/${encodeURIComponent(key.id)}`); toast("The key is revoked"); changed(); } });
  return h("tr", { "data-key": key.id }, h("td", { class: "c-name" }, h("b", {}, safe(key.name || "without a name", 80)), h("small", {}, h("code", {}, safe(key.id, 40)), key.is_own && h("span", { class: "pill accent" }, "this session"))), h("td", { class: "c-may" }, key.scopes.map((scope) => h("span", { class: `pill ${scope === "admin" ? "warn" : ""}` }, scope))),
    h("td", { class: "c-apps" }, key.apps.includes("*") ? "all apps" : key.apps.map((app) => appName(app))), h("td", { class: "c-used" }, isIdle ? h("span", { class: "out warn" }, icon("warn"), h("span", {}, used)) : used), h("td", { class: "c-made opt" }, when(key.created_at, false)), h("td", { class: "c-act" }, button("Revoke…", revoke, { kind: "small bare quiet-danger", "aria-label": `Revoke ${key.name || key.id}` })));
}
