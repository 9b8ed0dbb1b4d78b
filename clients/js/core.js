'use strict'
// Requests, retries and errors, which the clients of the service and of the mock share.

const { setTimeout: sleep } = require('node:timers/promises')

/** A request that failed. `code` is for programs, `detail` and `remedy` are for people. Without an answer, `status` is 0. */
class PushError extends Error {
  constructor(problem, { retryAfter, cause } = {}) {
    const { status, code, detail, field, remedy } = problem
    super([`${status || ''} ${code}:`.trim(), detail, field && `(${field})`, remedy].filter(Boolean).join(' '), { cause })
    Object.assign(this, { name: 'PushError', status, code, detail, field, remedy, problem, retryAfter })
  }
}

class Client {
  #base
  #key
  #options

  constructor(base, key, { timeout = 30, retries = 3, longestPause = 60, fetch = globalThis.fetch } = {}) {
    this.#base = String(base).replace(/\/+$/, '')
    this.#key = key
    this.#options = { timeout, retries, longestPause, fetch }
  }

  get url() {
    return this.#base
  }

  /**
   * Sends a request, and repeats it if that is right: after 429; after 502, 503, 504 and without an answer only if it is `repeatable`,
   * which all are but a POST without an idempotency key.
   */
  async request(method, path, { query = {}, body, headers = {}, repeatable, longer = 0, accepts, read = json } = {}) {
    const { timeout, retries, longestPause, fetch } = this.#options
    const init = { method, headers: { ...headers }, redirect: 'manual' }
    if (this.#key) init.headers.authorization = `Bearer ${this.#key}`
    if (method !== 'GET' && method !== 'DELETE') {
      init.headers['content-type'] ??= 'application/json'
      init.body = typeof body === 'string' ? body : JSON.stringify(body ?? {})
    }
    const safe = repeatable ?? (method !== 'POST' || 'idempotency-key' in init.headers)
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
    const url = this.#base + path + (given.length ? `?${new URLSearchParams(given)}` : '')
    for (let attempt = 0; ; attempt++) {
      let error, mayRepeat
      try {
        const answer = await fetch(url, { ...init, signal: AbortSignal.timeout((timeout + longer) * 1000) })
        const text = await answer.text()
        if (answer.ok || accepts?.(answer)) return read(text, answer)
        error = problemOf(answer, text)
        mayRepeat = error.status === 429 || error.code === 'idempotency_in_progress' || (safe && [502, 503, 504].includes(error.status))
      } catch (cause) {
        const reason = cause.cause?.code ?? cause.cause?.message ?? cause.message
        const problem = { status: 0, code: 'no_answer', detail: `The server didn't answer: ${reason}.` }
        error = new PushError({ ...problem, remedy: 'Check the address, and whether the server runs.' }, { cause })
        mayRepeat = safe || cause.cause?.code === 'ECONNREFUSED'
      }
      const pause = error.retryAfter ?? Math.min(0.2 * 2 ** attempt, longestPause) * (0.5 + Math.random() / 2)
      if (attempt >= retries || !mayRepeat || pause > longestPause) throw error
      await sleep(pause * 1000)
    }
  }
}

function problemOf(answer, text) {
  let problem
  try {
    const last = JSON.parse(text.trim().split('\n').at(-1)) // The last line of a stream says why it was stopped.
    problem = last.problem ?? last
  } catch {}
  if (!problem?.code) problem = { code: 'http_status', detail: 'The answer has no description.' }
  const after = answer.headers.get('retry-after') ?? ''
  return new PushError({ ...problem, status: answer.status }, { retryAfter: /^\d+$/.test(after) ? Number(after) : undefined })
}

const json = (text) => (text ? JSON.parse(text) : undefined)
const jsonLines = (text) => text.split('\n').filter((line) => line.trim()).map((line) => JSON.parse(line))
const duration = (seconds) => (Number.isInteger(seconds) ? `${seconds}s` : `${Math.round(seconds * 1000)}ms`)

/** A path; what is filled in is escaped. */
const path = (texts, ...values) => String.raw({ raw: texts }, ...values.map((value) => encodeURIComponent(value)))

module.exports = { PushError, Client, duration, json, jsonLines, path, sleep }
