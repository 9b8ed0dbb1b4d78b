// Before the first push: how to send one.
import { h, put, $ } from "../dom.js";
import { safe } from "../strangers.js";
import { icon } from "../icons.js";
import { can, store } from "../shared/store.js";
import { command, copy } from "../copy.js";
import { firstPush } from "../detail/commands.js";

const TOKEN = "5f3ad1c07b9e4286".repeat(4);

export function drawEmpty() {
  const { url, host, port, key_id: keyID, team_id: teamID, ca_file: ca, key_file: key, files } = store.setup;
  const ways = firstPush(TOKEN);
  const shown = h("div");
  const tabs = h("div", { class: "seg", role: "group", "aria-label": "Send with" });
  const choose = (name) => {
    put(tabs, Object.keys(ways).map((each) => h("button", { type: "button", "aria-pressed": String(each === name), on: { click: () => { choose(each); tabs.querySelector("[aria-pressed=true]").focus(); } } }, each)));
    put(shown, command(ways[name], { tall: true }));
  };
  choose("pushsend");
  const rows = [["Host and port", `${host}:${port}`], ["CA file", ca ?? `${location.origin}/v1/ca.pem`], ["Key", key ?? `${location.origin}/v1/key.p8`], ["Key id", keyID], ["Team id", teamID]].filter(([, value]) => value);
  put($("work"), h("div", { class: "welcome" },
    h("header", {}, h("span", { class: "listening" }, h("span", { class: "beat" }), `Listening on ${url}`), h("h1", {}, "Send your first push"), h("p", { class: "lead" }, "It appears here immediately, as an iPhone would show it, or with the reason why it isn’t shown. No Apple account, no phone.")),
    h("section", { class: "how", "aria-label": "From a terminal" }, tabs, shown),
    h("section", { class: "card", "aria-label": "From your own sender" }, h("header", {}, h("h2", {}, "From your own sender"), files?.key && key && h("p", {}, "The key, its ids and the CA stay the same in this state folder")),
      h("dl", { class: "grid-kv" }, rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, h("code", {}, safe(value, 300)), h("button", { class: "btn icon small bare", type: "button", "aria-label": `Copy ${name}`, on: { click: () => copy(String(value), `${name} copied`) } }, icon("copy"))))))),
    can("send") && h("p", { class: "also" }, "Or write one in the ", h("a", { href: "#/compose" }, "composer"), ".")));
}
