// Scenarios and faults, each with a switch.
import { h, put, $, number } from "../dom.js";
import { plain, safe } from "../strangers.js";
import { answers } from "../shared/answers.js";
import { icon } from "../icons.js";
import { ask, get, write } from "../shared/api.js";
import { say, store } from "../shared/store.js";
import { attempt } from "../copy.js";
import { READY } from "./ready-faults.js";

let scenarios = null, active = [];
const reads = answers();
const ready = new Map(READY.map((fault) => [fault.json.name, fault]));
// Other faults that this page has switched off, so that it can switch them on again. Those that were removed elsewhere, or have acted as
// often as they should, are gone.
const switchedOff = new Map();
// All faults with a name that the page lists.
let known = ready;

export async function loadFaults() {
  const turn = reads.ask();
  scenarios ??= (await get("/scenarios")).items;
  const answer = await get("/faults");
  if (!reads.mayShow(turn)) return;
  active = answer.items.filter((each) => each.is_active);
  const acted = (name) => answer.items.filter((each) => each.name === name).reduce((sum, each) => sum + each.applied, 0);
  const others = active.filter((each) => each.fault && each.name && !ready.has(each.name)).map((each) => [each.name, { about: "", json: each.fault }]);
  known = new Map([...ready, ...switchedOff, ...others]);
  for (const [name, fault] of known) fault.acted = acted(name);
  store.scenario = answer.scenario ?? null;
  store.faultsOn = active.length + (store.scenario && !active.length ? 1 : 0);
  say("faults");
}

export function drawFaults() {
  if (!$("faults")) return;
  keyed($("scenarios"), scenarios.map((each) => ({ key: `scenario ${each.name}`, title: each.name, about: each.description, on: each.name === store.scenario, toggle: (on) => play(on ? each.name : null) })));
  const rows = [...known].map(([name, fault]) => ({ key: `fault ${name}`, title: fault.title ?? name, about: fault.about, acted: fault.acted, json: fault.json, on: active.some((each) => each.name === name), toggle: (on) => on ? inject(fault.json) : removeAll(name), forget: switchedOff.has(name) && !active.some((each) => each.name === name) && (() => forget(name)) }));
  const nameless = active.filter((each) => !each.name).map((each) => ({ key: `number ${each.id}`, title: `Fault ${each.id}`, about: "", acted: each.applied, json: each.fault, on: true, toggle: () => remove(each.id) }));
  keyed($("faults"), [...rows, ...nameless]);
}

const renew = async () => { await loadFaults(); drawFaults(); };
const play = (name) => attempt(async () => { if (name) await write("PUT", "/scenario", { name }); else await ask("DELETE", "/scenario"); await renew(); });
const remove = (id) => attempt(async () => { await ask("DELETE", `/faults/${id}`); await renew(); });
const removeAll = (name) => attempt(async () => { for (const each of active.filter((one) => one.name === name)) await ask("DELETE", `/faults/${each.id}`); if (!ready.has(name)) switchedOff.set(name, known.get(name)); await renew(); });
const forget = (name) => { switchedOff.delete(name); return attempt(renew); };

/// Injects a fault, or a list of them.
export async function inject(json) { return attempt(async () => { await write("POST", "/faults", json); for (const { name } of [json].flat()) switchedOff.delete(name); await renew(); return true; }); }

// Rows stay the same elements, so that a press on a switch keeps the focus, and opened details stay open.
function keyed(container, rows) {
  const wanted = new Set(rows.map((each) => each.key));
  for (const element of [...container.children]) if (!wanted.has(element.dataset.key)) element.remove();
  rows.forEach((each, at) => {
    let element = [...container.children].find((one) => one.dataset.key === each.key);
    if (!element) element = row(each);
    Object.assign(element, { toggle: each.toggle, forget: each.forget });
    element.querySelector(".forget").hidden = !each.forget;
    element.className = each.on ? "fault on" : "fault";
    element.querySelector(".switch").setAttribute("aria-checked", String(each.on));
    const acted = element.querySelector("small");
    acted.textContent = each.acted > 0 ? `acted ${number(each.acted)} time${each.acted === 1 ? "" : "s"}` : "";
    if (container.children[at] !== element) container.insertBefore(element, container.children[at] ?? null);
  });
  if (!rows.length) put(container, h("p", { class: "nothing-yet" }, "None."));
}

function row({ key, title, about, json }) {
  const id = `on-${key.replace(/[^a-z0-9]/gi, "-")}`;
  const element = h("div", { class: "fault", "data-key": key }, h("b", { id }, safe(title, 60), h("small", {})), h("p", {}, safe(about, 300)),
    h("button", { type: "button", class: "switch", role: "switch", "aria-checked": "false", "aria-labelledby": id, on: { click: () => element.toggle(element.querySelector(".switch").getAttribute("aria-checked") !== "true") } }),
    h("button", { type: "button", class: "btn icon small bare forget", hidden: true, "aria-label": plain(`Remove ${title} from the list`, 80), title: "Remove from the list", on: { click: () => element.forget() } }, icon("cross")),
    json && h("details", {}, h("summary", {}, icon("right"), h("span", { class: "chips" }, chips(json).map((word) => h("span", { class: "chip" }, safe(word, 40))))), h("pre", { tabindex: "0", role: "group", "aria-label": "The fault in JSON" }, safe(JSON.stringify(json, null, 2), 4000))));
  return element;
}

function chips(json) {
  const conditions = Object.entries(Object(json.when ?? {})).map(([name, value]) => `${name.replaceAll("_", " ")} ${typeof value === "object" ? Object.entries(value).map((each) => each.join(" ")).join(", ") : value}`);
  return [String(json.at ?? "request").replaceAll("_", " "), ...(conditions.length ? conditions : ["all"]), ...(json.times ? [json.times === 1 ? "once" : `${json.times} times`] : [])];
}
