// Which page is shown: it stands behind the # of the address.
import { decode } from "../dom.js";

export function route() {
  const [name, value] = location.hash.replace(/^#\/?/, "").split("/");
  if (name === "push" && /^[1-9]\d{0,15}$/.test(value ?? "")) return { name, n: Number(value), tab: "inbox" };
  if (name === "compose") return { name, value: value && decode(value), tab: name };
  if (name === "faults") return { name, tab: name };
  return { name: name === "start" ? "empty" : "inbox", tab: "inbox" };
}
