// The life of a view: it is loaded, loaded again while it is shown, and says what went wrong.
import { put } from "./dom.js";
import { command, toast } from "./copy.js";
import { lonely } from "./parts.js";
import { apps, scopes } from "./session.js";

/// Loads now, and again after each pause. One request at a time: an older answer can't replace a newer one.
///
/// - `page`: gets `data-loaded` with the first answer, and the event `loaded`.
export function repeat(page, load, pause) {
  let isOpen = true, isBusy = false, isAsked = false, timer;
  const now = async () => {
    if (isBusy) { isAsked = true; return; }
    clearTimeout(timer);
    isBusy = true;
    try {
      if (!document.hidden || !("loaded" in page.dataset)) {
        await load();
        if (isOpen && !("loaded" in page.dataset)) { page.dataset.loaded = ""; page.dispatchEvent(new Event("loaded")); }
      }
    } catch (error) {
      if (isOpen) fail(page, error);
    }
    isBusy = false;
    if (!isOpen) return;
    if (isAsked) { isAsked = false; now(); return; }
    // A view that was never loaded comes as soon as the service is back.
    if (pause || !("loaded" in page.dataset)) timer = setTimeout(now, pause || 4000);
  };
  const visible = () => { if (!document.hidden) now(); };
  document.addEventListener("visibilitychange", visible);
  now();
  return { now, stop: () => { isOpen = false; clearTimeout(timer); document.removeEventListener("visibilitychange", visible); } };
}

function fail(page, error) {
  if (error.status === 401) return;
  if (error.code === "scope_missing") { put(page, noScope()); page.dataset.loaded = ""; return; }
  // The view stays as it was; the strip on top says since when.
  if ("loaded" in page.dataset) { if (error.status) toast(error.message, "warn"); return; }
  put(page, lonely(error.status === 404 ? "This is no longer there" : error.status ? "The service can’t show this" : "The service doesn’t answer", error.status ? error.message : "This page asks again until it does."));
}

export function noScope(scope = "read") {
  const have = scopes();
  return lonely(`Your key may not ${scope === "admin" ? "see this" : scope}`, `Your key has the ${have.length === 1 ? "scope" : "scopes"} ${have.join(", ") || "none"}, and this view needs the scope ${scope}. Log in with another key, or create one:`,
    command(`pushserve key create --app ${apps()[0] ?? "NAME"} --scope ${scope}`));
}
