// Puts text on the clipboard, and says so.
import { h, put, $ } from "./dom.js";
import { icon } from "./icons.js";
import { safe } from "./strangers.js";

let timer;
export function toast(text, name = "check") {
  put($("toast"), icon(name), safe(text, 400));
  $("toast").dataset.on = "";
  clearTimeout(timer);
  timer = setTimeout(() => delete $("toast").dataset.on, name === "warn" ? 6000 : 2600);
}

/// Runs an action; a problem is said in its words.
export async function attempt(action) {
  try { return await action(); } catch (error) { toast(error.message, "warn"); return undefined; }
}

export async function copy(text, what = "Copied") {
  try { await navigator.clipboard.writeText(text); toast(what); }
  catch { toast("The browser didn’t allow copying", "warn"); }
}

export function command(text, { tall = false, prompt = true } = {}) {
  return h("div", { class: tall ? "cmd tall" : "cmd" },
    h("pre", { tabindex: "0", role: "group", "aria-label": "Command" }, prompt && h("span", { class: "pr", "aria-hidden": "true" }, "$ "), text.split(/(--\S+)/).map((part) => part.startsWith("--") ? h("span", { class: "flag" }, part) : part)),
    h("button", { class: "btn icon small bare", type: "button", "aria-label": `Copy: ${text.slice(0, 40)}`, on: { click: () => copy(text, "Command copied") } }, icon("copy")));
}
