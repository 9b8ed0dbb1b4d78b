// The login: turns an API key into a session. The key is in no address, and the page forgets it at once.
import { h, put, $ } from "./dom.js";
import { get, setCSRF, write } from "./api.js";

/// The session of this browser, if there is one.
export async function current() {
  try { return remember(await get("/v1/session")); } catch (error) { if (error.status === 401) return null; throw error; }
}

export async function leave() {
  await write("DELETE", "/v1/session").catch(() => {});
  setCSRF(null);
}

function remember(session) {
  setCSRF(session.csrf);
  return session;
}

export function drawLogin(opened, why = "") {
  const wrong = h("p", { class: "wrong", role: "alert" }, why);
  const key = h("input", { type: "password", id: "key", name: "key", autocomplete: "current-password", required: true, spellcheck: "false" });
  const form = h("form", { class: "card login" }, h("h1", {}, "Log in to pushserve"),
    h("p", { class: "muted" }, "Use an API key with the scope read. Create one with: ", h("code", {}, "pushserve key create --app NAME --scope read")),
    h("label", { class: "field" }, h("span", {}, "API key"), key), wrong, h("button", { class: "btn primary", type: "submit" }, "Log in"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = key.value.trim();
    key.value = "";
    put(wrong);
    try { opened(remember(await write("POST", "/v1/session", { key: text }))); } catch (error) { put(wrong, document.createTextNode(error.message)); key.focus(); }
  });
  put($("bar"));
  put($("work"), form);
  key.focus();
  document.documentElement.dataset.ready = "login";
}
