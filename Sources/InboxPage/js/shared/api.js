// Requests to the mock's REST API. The page asks nothing of any other address.
import { say } from "./store.js";

/// The namespace that the page shows; `null` for the mock itself.
export const space = new URLSearchParams(location.search).get("namespace");
const base = space ? `/v1/namespaces/${encodeURIComponent(space)}` : "/v1";
const wholeMock = new Set(["/scenarios"]);
let token = sessionStorage.getItem("access-token");
let asking = null;

/// The mock's description of a problem with a request.
export class Problem extends Error {
  constructor(status, form) {
    super([form.detail, form.remedy].filter(Boolean).join(" ") || `The mock answered ${status}.`);
    Object.assign(this, { status, code: form.code, line: form.line, column: form.column, form });
  }
}

export async function get(path) { return (await ask("GET", path)).json(); }
export async function bytes(path) { return new Uint8Array(await (await ask("GET", path)).arrayBuffer()); }
export async function blob(path) { return (await ask("GET", path)).blob(); }
/// The answer to a GET, or nothing if there is none.
export async function find(path) { try { return await get(path); } catch (error) { if (error.status === 404) return null; throw error; } }

export async function write(method, path, body = {}) {
  const answer = await ask(method, path, { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return answer.status === 204 ? null : answer.json();
}

export async function ask(method, path, extra = {}) {
  for (;;) {
    const used = token;
    const headers = { ...extra.headers, ...(used && { authorization: `bearer ${used}` }) };
    const answer = await fetch(address(path), { method, cache: "no-store", redirect: "error", ...extra, headers });
    if (answer.ok) return answer;
    if (answer.status === 401) { await otherToken(used); continue; }
    throw new Problem(answer.status, await answer.json().catch(() => ({})));
  }
}

/// Attachments have whole addresses, all others begin below /v1.
const address = (path) => path.startsWith("/v1/") ? path : `${wholeMock.has(path) ? "/v1" : base}${path}`;

/// Waits for the person to give an access token, once for all requests that need it.
async function otherToken(used) {
  if (token !== used) return;
  asking ??= new Promise((resolve) => say("locked", { wasWrong: used !== null, open: resolve }));
  token = await asking;
  asking = null;
  sessionStorage.setItem("access-token", token);
}
