// What a payload says, in two texts for a row. Payloads can be anything: only own members of the right type count.
const own = (value, name) => value !== null && typeof value === "object" && !Array.isArray(value) && Object.hasOwn(value, name) ? value[name] : undefined;
const text = (value) => typeof value === "string" ? value : undefined;

export function parsed(payload) {
  try { return JSON.parse(payload); } catch { return undefined; }
}

/// The parts of an alert; other values are left out.
export function alertOf(json) {
  const aps = own(json, "aps");
  const alert = own(aps, "alert");
  return {
    aps, title: text(own(alert, "title")) ?? text(own(alert, "title-loc-key")), subtitle: text(own(alert, "subtitle")),
    body: text(alert) ?? text(own(alert, "body")) ?? text(own(alert, "loc-key")),
    level: text(own(aps, "interruption-level")), thread: text(own(aps, "thread-id")), category: text(own(aps, "category")),
  };
}

/// Title and body for a row: of the alert, else what kind of push it is.
export function textsOf(push) {
  if (!isPush(push)) return { body: `${push.method} ${push.path}`, isKind: true };
  const json = parsed(push.payload);
  if (json === undefined) return { body: push.payload ? push.payload : "no payload", isKind: true };
  const { aps, title, subtitle, body } = alertOf(json);
  if (title || body) return { title, subtitle, body };
  const event = text(own(aps, "event"));
  if (event) return { body: `${event} ${keys(own(aps, "content-state"))}`.trim(), isKind: true };
  return { body: keys(aps) || keys(json) || "{}", isKind: true };
}

const keys = (value) => value !== null && typeof value === "object" ? Object.keys(value).slice(0, 8).join(", ") : "";

/// Whether it is a push to a device or a broadcast, and not the management of a channel.
export const isPush = (push) => push.method === "POST" && !/\/channels$/.test(push.path ?? "");
export const bodyBytes = (push) => push.payload_bytes ?? new TextEncoder().encode(push.payload ?? "").length;
export { own };
