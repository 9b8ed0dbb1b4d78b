// A push as a command to paste into a shell.
import { store } from "../shared/store.js";

const quote = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;

/// A word of a command for a shell: quoted, unless it is plain.
export const word = (text) => /^[A-Za-z0-9_.][A-Za-z0-9_.:/-]*$/.test(text) ? String(text) : quote(text);

const flat = (text) => { try { JSON.parse(text); return text.split("\n").map((line) => line.trimStart()).join(""); } catch { return text; } };
const SENT = ["apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id"];

const expires = (seconds) => seconds === undefined ? undefined : Number(seconds) === 0 ? "once" : `@${seconds}`;

export function asCurl(push, text) {
  const { url, ca_file: ca } = store.setup;
  const fields = (push.headers ?? []).filter((each) => SENT.includes(each.name));
  return ["curl -sS -i --http2", `--cacert ${quote(ca ?? "ca.pem")}`, "-H \"authorization: bearer $(pushsend jwt --mock)\"", ...fields.map(({ name, value }) => `-H ${quote(`${name}: ${value}`)}`), `--data-binary ${quote(flat(text))}`, quote(`${url}/3/device/${push.token}`)].join(" \\\n    ");
}

/// A value that begins with - follows an equals sign, or it would be read as an option.
const option = (name, value) => `--${name}${String(value).startsWith("-") ? "=" : " "}${quote(value)}`;

export function asPushsend(push, text) {
  const flags = [["topic", push.topic], ["push-type", push.push_type], ["priority", push.priority], ["expires", expires(push.expiration)], ["collapse-id", push.collapse_id]].filter(([, value]) => value !== undefined);
  // After --, a token that begins with - is not an option.
  const isLikeOption = String(push.token).startsWith("-");
  const [first, last] = isLikeOption ? ["", [`-- ${word(push.token)}`]] : [` ${word(push.token)}`, []];
  return [`pushsend send${first} --mock`, ...flags.map(([name, value]) => option(name, value)), option("payload", flat(text)), ...last].join(" \\\n    ");
}
