// Requests to the API of the service. The session is a cookie that scripts cannot read; a write also needs the CSRF token.
let csrf = null;
let whenLocked = () => {};

/// The service's description of a problem with a request.
export class Problem extends Error {
  constructor(status, form) {
    super([form.detail, form.remedy].filter(Boolean).join(" ") || `The service answered ${status}.`);
    Object.assign(this, { status, code: form.code });
  }
}

export const setCSRF = (token) => { csrf = token; };
export const onLocked = (action) => { whenLocked = action; };

export async function get(path) { return (await ask("GET", path)).json(); }

/// The objects of an answer of JSON lines.
export async function lines(path) { return (await (await ask("GET", path)).text()).split("\n").filter(Boolean).map((line) => JSON.parse(line)); }

export async function write(method, path, body = {}) {
  const answer = await ask(method, path, { "content-type": "application/json", ...(csrf && { "x-csrf-token": csrf }) }, JSON.stringify(body));
  return answer.status === 204 ? null : answer.json();
}

async function ask(method, path, headers = {}, body = undefined) {
  const used = csrf;
  const answer = await fetch(path, { method, headers, body, cache: "no-store", redirect: "error", credentials: "same-origin" });
  if (answer.ok) return answer;
  const problem = new Problem(answer.status, await answer.json().catch(() => ({})));
  // A late answer to a request of an earlier session must not end this one.
  if (answer.status === 401 && path !== "/v1/session" && used === csrf) whenLocked(problem);
  throw problem;
}
