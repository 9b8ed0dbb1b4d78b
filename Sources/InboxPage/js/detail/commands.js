// A push as a command to paste into a shell.
import { store } from "../shared/store.js";

const quote = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;

/// A word of a command for a shell: quoted, unless it is plain.
export const word = (text) => /^[A-Za-z0-9_./][A-Za-z0-9_.:/-]*$/.test(text) ? String(text) : quote(text);

const flat = (text) => { try { JSON.parse(text); return text.split("\n").map((line) => line.trimStart()).join(""); } catch { return text; } };
const SENT = ["apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id"];

const expires = (seconds) => seconds === undefined ? undefined : Number(seconds) === 0 ? "once" : `@${seconds}`;

/// How a command reaches this mock, and not another one that runs too. `--mock` finds a mock by its state folder; a namespace, and a mock
/// without a folder, have only their address and the mock's key.
function reach() {
  const { mock_flags: flags, host, port, ca_file: ca = "ca.pem", key_id: keyID, team_id: teamID, key_file: key = `AuthKey_${keyID}.p8` } = store.setup;
  if (flags) return { server: flags, signer: flags };
  const signer = `--key ${word(key)} --key-id ${word(keyID)} --team-id ${word(teamID)}`;
  return { server: `--endpoint ${word(`${host}:${port}`)} --cacert ${word(ca)} ${signer}`, signer };
}

/// The parts of a request with curl: the CA to trust, and a provider token.
const curlParts = () => [`--cacert ${word(store.setup.ca_file ?? "ca.pem")}`, `-H "authorization: bearer $(pushsend jwt ${reach().signer})"`];

/// The first push to this mock.
export const firstPush = (token) => ({
  pushsend: `pushsend send ${token.slice(0, 16)} ${reach().server} \\\n    --topic com.example.app --template rich`,
  curl: ["curl --http2", ...curlParts(), "-H 'apns-topic: com.example.app'", "-d '{\"aps\":{\"alert\":\"Hello\"}}'", word(`${store.setup.url}/3/device/${token}`)].join(" \\\n    "),
});

export function asCurl(push, text) {
  const fields = (push.headers ?? []).filter((each) => SENT.includes(each.name));
  return ["curl -sS -i --http2", ...curlParts(), ...fields.map(({ name, value }) => `-H ${quote(`${name}: ${value}`)}`), `--data-binary ${quote(flat(text))}`, quote(`${store.setup.url}/3/device/${push.token}`)].join(" \\\n    ");
}

/// A value that begins with - follows an equals sign, or it would be read as an option.
const option = (name, value) => `--${name}${String(value).startsWith("-") ? "=" : " "}${quote(value)}`;

export function asPushsend(push, text) {
  const flags = [["topic", push.topic], ["push-type", push.push_type], ["priority", push.priority], ["expires", expires(push.expiration)], ["collapse-id", push.collapse_id]].filter(([, value]) => value !== undefined);
  // After --, a token that begins with - is not an option.
  const isLikeOption = String(push.token).startsWith("-");
  const [first, last] = isLikeOption ? ["", [`-- ${word(push.token)}`]] : [` ${word(push.token)}`, []];
  return [`pushsend send${first} ${reach().server}`, ...flags.map(([name, value]) => option(name, value)), option("payload", flat(text)), ...last].join(" \\\n    ");
}
