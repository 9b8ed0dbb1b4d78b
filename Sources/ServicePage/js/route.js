// The address carries the view and its filters: #/outcomes?app=shop&reason=Unregistered. Reload and Back keep both.
import { decode } from "./dom.js";

export function route() {
  const [place, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view, id] = place.split("/");
  return { view: view || "overview", id: id && decode(id), filter: Object.fromEntries(new URLSearchParams(query)) };
}

export function link(view, filter = {}) {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
  return `#/${view}${String(query) && `?${query}`}`;
}

export const toPush = (id) => `#/push/${encodeURIComponent(id)}`;
export const go = (view, filter) => { location.hash = link(view, filter); };
