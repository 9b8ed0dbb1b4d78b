// The login: turns an API key into a session. The key is in no address, and the page forgets it at once.
import { h, put, $ } from "./dom.js";
import { get, setCSRF, write } from "./api.js";
import { command } from "./copy.js";
import { icon, mark } from "./icons.js";

let session = null;

export const apps = () => session?.apps ?? [];
/// Whether the key of the session may do something. `admin` includes all.
export const may = (scope) => session !== null && (session.scopes.includes(scope) || session.scopes.includes("admin"));
export const scopes = () => session?.scopes ?? [];

/// The session of this browser, if there is one.
export async function current() {
  try { return remember(await get("/v1/session")); } catch (error) { if (error.status === 401) return null; throw error; }
}

/// Throws if the session is still there.
export async function leave() {
  await write("DELETE", "/v1/session").catch((error) => { if (error.status !== 401) throw error; });
  forget();
}

export const forget = () => { session = null; setCSRF(null); };

function remember(found) {
  session = found;
  setCSRF(found.csrf);
  return found;
}

/// - `why`: why it is asked for, for example that the session has ended.
export function drawLogin(opened, why = "") {
  const wrong = h("p", { class: "wrong", role: "alert" }, why);
  const key = h("input", { type: "password", id: "key", name: "key", autocomplete: "current-password", required: true, spellcheck: "false", placeholder: "psk_…" });
  const button = h("button", { class: "btn primary", type: "submit" }, "Log in");
  const form = h("form", { class: "card login" }, mark(), h("h1", {}, "Log in to pushserve"),
    h("label", { class: "field" }, h("span", {}, "API key"), key), wrong, button,
    h("footer", {}, h("p", { class: "muted" }, icon("info"), h("span", {}, "Any key with the scope read will do. Some steps need send, cancel or admin. To create one:")),
      command("pushserve key create --app NAME --scope read")));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = key.value.trim();
    key.value = "";
    put(wrong);
    button.disabled = true;
    try { opened(remember(await write("POST", "/v1/session", { key: text }))); } catch (error) { put(wrong, document.createTextNode(error.message)); key.focus(); }
    button.disabled = false;
  });
  put($("bar"));
  put($("work"), form);
  key.focus();
  document.title = "Log in – pushserve";
  document.documentElement.dataset.ready = "login";
}
