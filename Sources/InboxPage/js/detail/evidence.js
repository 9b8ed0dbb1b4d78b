// Headers, the provider token with its age, and the frames of HTTP/2.
import { h, s } from "../dom.js";
import { safe } from "../strangers.js";
import { icon } from "../icons.js";
import { clockTime, span } from "../times.js";

const ABOUT = { "apns-expiration": "seconds since 1970; 0 is one attempt", "apns-priority": "10 at once, 5 saves power", authorization: "the signature is never kept" };
const APPLES = ["apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id", "apns-id"];

export function headers(push) {
  const given = push.headers ?? [];
  const absent = push.method === "POST" ? APPLES.filter((name) => !given.some((each) => each.name === name)) : [];
  const about = (name) => Object.hasOwn(ABOUT, name) && h("span", {}, ABOUT[name]);
  return h("table", { class: "kv", "aria-label": "Headers" }, h("tbody", {},
    given.slice(0, 100).map(({ name, value }) => h("tr", {}, h("th", { scope: "row" }, safe(name, 80)), h("td", {}, h("code", {}, safe(value, 600)), about(name)))),
    absent.map((name) => h("tr", { class: "absent" }, h("th", { scope: "row" }, name), h("td", {}, h("code", {}, "absent"))))));
}

// Only claims are kept of a provider token.
export function token(push) {
  const seconds = (new Date(push.time) - new Date(push.token_issued_at)) / 1000;
  const rows = [["alg", "ES256", "header"], ["kid", push.key_id, "header"], ["iss", push.team_id, "claims"],
    ["iat", push.token_issued_at && String(Math.floor(new Date(push.token_issued_at) / 1000)), push.token_issued_at && `${clockTime(push.token_issued_at)}, ${seconds >= 0 ? `${span(seconds)} before` : `${span(-seconds)} after`} the request`]].filter(([, value]) => value);
  return [push.token_issued_at && gauge(seconds / 60), h("table", { class: "kv", "aria-label": "Provider token" }, h("tbody", {}, rows.map(([name, value, about]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, h("code", {}, safe(value, 80)), h("span", {}, about))))))];
}

const TOKEN_REASONS = new Set(["ExpiredProviderToken", "InvalidProviderToken", "MissingProviderToken", "TooManyProviderTokenUpdates", "UnrelatedKeyIdInToken", "BadEnvironmentKeyIdInToken"]);

export function tokenPill(push) {
  const isBad = TOKEN_REASONS.has(push.reason);
  const isUnknown = push.status >= 400 && !isBad || push.status === 0;
  return h("span", { class: `pill push-right ${isBad ? "bad" : isUnknown ? "" : "ok"}` }, icon(isBad ? "cross" : isUnknown ? "info" : "check"), isBad ? safe(push.reason, 40) : isUnknown ? "Nothing wrong" : "Good");
}

// The token's age on a scale of 80 minutes: too young to change, good, too old.
function gauge(minutes) {
  const x = (m) => Math.min(320, Math.max(0, m * 4));
  const words = `${span(Math.max(0, minutes) * 60)} old`;
  const anchor = minutes > 70 ? "end" : minutes < 6 ? "start" : "middle";
  return h("div", { class: "gauge" }, s("svg", { viewBox: "-8 0 336 48", role: "img", "aria-label": `The token was ${words}; it is valid for 60 minutes` },
    s("rect", { class: "z0", x: 0, y: 22, width: x(20) - 1.5, height: 6, rx: 3 }), s("rect", { class: "z1", x: x(20) + 1.5, y: 22, width: x(40) - 3, height: 6, rx: 3 }), s("rect", { class: "z2", x: x(60) + 1.5, y: 22, width: x(20) - 1.5, height: 6, rx: 3 }),
    s("text", { x: x(20), y: 43, "text-anchor": "middle" }, "20 min"), s("text", { x: x(60), y: 43, "text-anchor": "middle" }, "60 min"), s("text", { x: 0, y: 43 }, "iat"),
    s("circle", { class: "m", cx: x(minutes), cy: 25, r: 6.5 }), s("text", { class: "mt", x: x(minutes), y: 12, "text-anchor": anchor }, words)));
}

export function frames(stream, push) {
  const started = new Date(stream.opened_at);
  const rows = stream.frames.map((frame) => [frame.direction === "sent", frame.type, frame.ends_stream ? "END_STREAM" : "–", frame.bytes, `+${Math.max(0, new Date(frame.at) - started)} ms`]);
  return h("div", { class: "scroll-x", tabindex: "0", role: "group", "aria-label": "Frames" }, h("table", { class: "frames" },
    h("thead", {}, h("tr", {}, ["From", "Frame", "Flags", "Bytes", "When"].map((title) => h("th", { scope: "col", class: title === "Flags" && "opt" }, title)))),
    h("tbody", {}, rows.map(([isSent, type, flags, bytes, at]) => h("tr", {}, h("td", {}, side(isSent)), h("td", { class: "name" }, safe(type, 30)), h("td", { class: "opt" }, flags), h("td", {}, String(bytes)), h("td", {}, at))),
      h("tr", {}, h("td", {}, side(true)), h("td", { class: "name" }, "answer"), h("td", { class: "opt" }, ""), h("td", {}, ""), h("td", {}, safe(end(stream, push), 120))))));
}

const side = (isMock) => h("span", { class: isMock ? "dir out-d" : "dir in" }, icon(isMock ? "arrowout" : "arrowin"), isMock ? "Mock" : "Client");

const end = (stream, push) => push.answered === false ? `not sent; the stream: ${stream.end ?? "open"}` : push.status ? `${push.status} ${push.reason ?? "accepted"}; the stream: ${stream.end ?? "open"}` : stream.end ?? "open";
