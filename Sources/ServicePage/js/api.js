// Requests to the API of the service. The session is a cookie that scripts cannot read; a write also needs the CSRF token.
let csrf = null;
let whenLocked = () => {};
let whenHeard = () => {};

/// The service's description of a problem with a request. Without a status, the service was not reached.
export class Problem extends Error {
  constructor(status, form) {
    super([form.detail, form.remedy].filter(Boolean).join(" ") || `The service answered ${status}.`);
    Object.assign(this, { status, code: form.code, detail: form.detail, remedy: form.remedy, form });
  }
}

export const setCSRF = (token) => { csrf = token; };
/// The session has ended.
export const onLocked = (action) => { whenLocked = action; };
/// Called with each answer, and with `false` when there is none.
export const onHeard = (action) => { whenHeard = action; };

export const path = (name, query = {}) => {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  return String(given) ? `${name}?${given}` : name;
};

export const get = async (name, query) => (await ask("GET", path(name, query))).json();
export const text = async (name, query) => (await ask("GET", path(name, query))).text();
export const lines = async (name, query) => (await text(name, query)).split("\n").filter(Boolean).map((line) => JSON.parse(line));

/// An answer whose numbers keep their digits, where the browser can: a payload is shown as it is sent.
export async function exact(name, query) {
  return JSON.parse(await text(name, query), (_, value, context) =>
    typeof value === "number" && JSON.rawJSON && context?.source && String(value) !== context.source ? JSON.rawJSON(context.source) : value);
}

export const write = (method, name, body = {}) => send(method, name, JSON.stringify(body));

/// - `body`: text, or a file.
export async function send(method, name, body, type = "application/json", more = {}) {
  const answer = await ask(method, name, { "content-type": type, ...(csrf && { "x-csrf-token": csrf }), ...more }, body);
  const said = await answer.text();
  return said ? JSON.parse(said) : null;
}

async function ask(method, name, headers = {}, body = undefined) {
  const used = csrf;
  let answer;
  try {
    answer = await fetch(name, { method, headers, body, cache: "no-store", redirect: "error", credentials: "same-origin" });
  } catch {
    whenHeard(false);
    throw new Problem(0, { detail: "The service doesn’t answer." });
  }
  whenHeard(answer.status !== 502 && answer.status !== 504);
  if (answer.ok) return answer;
  const problem = new Problem(answer.status, await answer.json().catch(() => ({})));
  // A late answer to a request of an earlier session must not end this one.
  if (answer.status === 401 && name !== "/v1/session" && used === csrf) whenLocked(problem);
  throw problem;
}
