// Asks for the access token of the mock. It stays in this tab.
import { h, put } from "./dom.js";
import { when } from "./shared/store.js";

export function askWhenLocked() {
  const input = h("input", { type: "password", id: "access", autocomplete: "off", required: true, "aria-describedby": "access-why" });
  const why = h("p", { id: "access-why", class: "muted" });
  const form = h("form", { class: "access-form", method: "dialog" }, h("h2", { id: "access-title" }, "This mock needs an access token"), why,
    h("label", { class: "field" }, h("span", {}, "Access token"), input), h("button", { class: "btn primary", type: "submit" }, "Open"));
  const dialog = h("dialog", { class: "keys access", "aria-labelledby": "access-title" }, form);
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  document.body.append(dialog);
  let open = null;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    // Only what can be in a header field.
    if (!/^[\x21-\x7e]+$/.test(text)) { put(why, "A token has letters, digits and punctuation, without spaces."); return; }
    input.value = "";
    dialog.close();
    open?.(text);
  });
  when("locked", ({ wasWrong, open: given }) => {
    open = given;
    put(why, wasWrong ? "That wasn’t the token of this mock." : "It is in the file of --access-token-file, or in PUSHSEND_MOCK_TOKEN. It stays in this tab.");
    if (!dialog.open) dialog.showModal();
    input.focus();
  });
}
