// The selection of the table in the address: the search, the outcome and the app. So it can be kept as a link, and Back leaves it.
import { store } from "../shared/store.js";

const read = () => {
  const asked = new URLSearchParams(location.search);
  return { query: asked.get("q") ?? "", outcome: asked.get("outcome") ?? "all", app: asked.get("app") };
};

/// Takes the selection of the address. Returns whether it is another one.
export function readAddress() {
  const { query, outcome, app } = read();
  const isOther = query !== store.query.trim() || outcome !== store.outcome || app !== store.app;
  if (isOther) Object.assign(store, { query, outcome, app });
  return isOther;
}

/// Puts the selection in the address.
/// - `isStep`: whether Back returns to the address as it was. While one search is typed, it is one step.
export function writeAddress(isStep) {
  const asked = new URLSearchParams(location.search);
  const selection = { q: store.query.trim(), outcome: store.outcome === "all" ? "" : store.outcome, app: store.app ?? "" };
  for (const [name, value] of Object.entries(selection)) if (value) asked.set(name, value); else asked.delete(name);
  const search = String(asked) && `?${asked}`;
  if (search === (location.search && `?${new URLSearchParams(location.search)}`)) return;
  history[isStep ? "pushState" : "replaceState"](null, "", `${location.pathname}${search}${location.hash}`);
}
