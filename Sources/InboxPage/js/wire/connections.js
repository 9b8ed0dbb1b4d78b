// The connections: who, how many streams, and how the last ones ended.
import { h, s, put, $, number, some } from "../dom.js";
import { safe } from "../strangers.js";
import { icon } from "../icons.js";
import { find, get } from "../shared/api.js";
import { meter, toneOf } from "../meter.js";
import { span } from "../times.js";

const MOST = 8;
// The flow-control window of a connection at its start, in bytes (RFC 9113 section 6.9.2).
const WINDOW = 65535;
const STREAMS = { d: "Answered", o: "Open", r: "Reset" };
let open = [], details = [], ended = [];

export async function loadConnections() {
  open = (await get("/connections?open=true&limit=1000")).items;
  const recent = open.slice(-MOST).reverse();
  details = (await Promise.all(recent.map((each) => find(`/connections/${each.number}`)))).filter(Boolean);
  if (!open.length) ended = (await get("/connections?open=false&limit=1000")).items.slice(-3).reverse(); else ended = [];
}

export function drawConnections() {
  if (!$("connections")) return;
  $("connection-count").textContent = open.length > details.length ? `${number(open.length)} open; the newest ${details.length}` : `${number(open.length)} open`;
  const all = [...details, ...ended];
  put($("connections"), all.length ? all.map(connection) : h("p", { class: "nothing-yet" }, "No client has connected yet."));
}

function connection(each) {
  const streams = each.recent_streams ?? [];
  const openStreams = streams.filter((one) => !one.end).length;
  const limit = [...(each.settings_sent ?? [])].reverse().find((one) => one.values.max_concurrent_streams !== undefined)?.values.max_concurrent_streams;
  const { receiving = WINDOW, sending = WINDOW } = each.windows ?? {};
  const who = each.provider_tokens?.at(-1) ? `Token of ${each.provider_tokens.at(-1).key_id}` : each.certificate ? `Certificate ${each.certificate}` : "No credentials yet";
  const kinds = streams.slice(-60).map((one) => !one.end ? "o" : one.end.startsWith("reset") ? "r" : "d").join("");
  return h("div", { class: "conn" },
    h("div", { class: "top" }, h("b", {}, `Connection ${each.number}`), h("span", { class: `pill ${each.is_open ? limit === 1 ? "warn" : "ok" : ""}` }, each.is_open ? limit === 1 ? "one stream" : "open" : "ended"), h("code", {}, safe(each.peer ?? "", 60)), h("span", { class: "muted" }, safe(who, 80)),
      h("span", { class: "end" }, `${some(each.requests, "request")} · ${span((Date.now() - new Date(each.opened_at)) / 1000)}`)),
    notes(each).map((text) => h("p", { class: "why" }, icon("warn"), safe(text, 200))),
    each.end && h("p", { class: "ended" }, safe(`Ended by the ${each.end.side}: ${each.end.how}`, 300)),
    kinds && h("div", {}, s("svg", { class: "cells", viewBox: "0 0 600 14", preserveAspectRatio: "none", role: "img", "aria-label": `The last ${kinds.length} streams of connection ${each.number}: ${openStreams} open, ${[...kinds].filter((one) => one === "r").length} reset` }, [...kinds].map((kind, i) => cell(kind, i * 10)))),
    each.is_open && h("dl", { class: "bars" },
      bar("Streams open", openStreams, limit ?? 1000, limit === 1 ? "" : toneOf(openStreams, limit ?? 1000)),
      bar("Bytes the mock may send", sending, Math.max(sending, WINDOW), toneOfWindow(sending)), bar("Bytes the client may send", receiving, Math.max(receiving, WINDOW), toneOfWindow(receiving))),
    each.is_open && h("p", { class: "ended" }, limits(each)));
}

// A small window is worse than a large one.
const toneOfWindow = (window) => window < WINDOW / 16 ? "bad" : window < WINDOW / 4 ? "warn" : "";

// What the SETTINGS of the mock allow on this connection.
function limits(each) {
  const values = Object.assign({}, ...(each.settings_sent ?? []).map((one) => one.values));
  return [`At most ${some(each.most_open_streams, "stream")} at a time until now`, values.max_header_list_size && `header fields up to ${number(values.max_header_list_size)} bytes`,
    values.max_frame_size && `frames up to ${number(values.max_frame_size)} bytes`, values.initial_window_size !== undefined && `each stream begins with a window of ${number(values.initial_window_size)} bytes`].filter(Boolean).join(" · ");
}

function notes(each) {
  return [each.early_streams > 0 && `${some(each.early_streams, "stream")} beyond a limit that the client had not acknowledged`, each.resets_received > 0 && `${some(each.resets_received, "reset")} by the client`,
    each.is_open && each.windows?.sending < WINDOW / 16 && "The client reads slowly: the flow-control window for answers is almost used up",
    each.goaways_sent?.length > 0 && `GOAWAY sent: ${each.goaways_sent.at(-1).code}${each.goaways_sent.at(-1).text ? `, ${each.goaways_sent.at(-1).text}` : ""}`].filter(Boolean);
}

// A stream: low when it was answered, full when open, hollow when reset. Not by colour alone.
function cell(kind, x, width = 8, height = 14) {
  const inset = kind === "d" ? height * .22 : kind === "r" ? .8 : 0;
  return s("rect", { class: kind, x: x + (kind === "r" ? .8 : 0), y: inset, width: width - (kind === "r" ? 1.6 : 0), height: height - 2 * inset, rx: 2 });
}

const bar = (name, value, max, tone) => h("div", {}, h("dt", {}, name, h("span", {}, number(value), value < max && h("i", {}, ` of ${number(max)}`))), h("dd", {}, meter(value, max, name, tone)));

export const legend = () => h("div", { class: "legend" }, Object.entries(STREAMS).map(([kind, title]) => h("span", {}, s("svg", { class: "cells", viewBox: "0 0 9 9", "aria-hidden": "true" }, cell(kind, .5, 8, 9)), title)));
