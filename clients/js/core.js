'use strict'
// Requests, retries and errors, which the clients of the service and of the mock share.

const { setTimeout: sleep } = require('node:timers/promises')

const remedy = 'Check the address, and whether the server runs.'

/**
 * A request that failed. `code` is for programs, `detail` and `remedy` are for people. Without an answer, `status` is 0. With
 * `idempotencyKey`, if there is one, you can repeat the call.
 */
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
    if (key && !/^[\x21-\x7e]+$/.test(key)) {
      throw new TypeError('The key contains a character that no key has, such as a line break. Trim what you read from a file.')
    }
    this.#base = String(base).replace(/\/+$/, '')
    this.#key = key
    this.#options = { timeout, retries, longestPause, fetch }
  }

  get url() {
    return this.#base
  }

  /** Any other request of the API. Returns decoded JSON, otherwise text or bytes. */
  request(method, path, options) {
    return this.ask(method, path, { read: decoded, ...options })
  }

  /**
   * Sends a request, and repeats it if that is right: after 429; after 502, 503, 504 and without an answer only if it is `repeatable`,
   * which all are but a POST without an idempotency key. If a retry is refused, `done` returns the result of the request before it, or throws.
   */
  async ask(method, path, { query = {}, body, headers = {}, repeatable, longer = 0, accepts, read = json, done = isDeleted(method) } = {}) {
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
        const bytes = Buffer.from(await answer.arrayBuffer())
        const text = bytes.toString()
        if (answer.ok || accepts?.(answer)) {
          try {
            return read(text, answer, bytes)
          } catch (cause) {
            error = new PushError({ status: answer.status, code: 'bad_answer', detail: "The answer isn't one of this API.", remedy }, { cause })
          }
        } else {
          error = problemOf(answer, text)
          mayRepeat = error.status === 429 || error.code === 'idempotency_in_progress' || (safe && [502, 503, 504].includes(error.status))
        }
      } catch (cause) {
        const reason = cause.cause?.code ?? cause.cause?.message ?? cause.message
        error = new PushError({ status: 0, code: 'no_answer', detail: `The server didn't answer: ${reason}.`, remedy }, { cause })
        mayRepeat = safe || cause.cause?.code === 'ECONNREFUSED'
      }
      error.idempotencyKey = init.headers['idempotency-key']
      const pause = error.retryAfter ?? Math.min(0.2 * 2 ** attempt, longestPause) * (0.5 + Math.random() / 2)
      if (attempt >= retries || !mayRepeat || pause > longestPause) {
        if (attempt) return done(error)
        throw error
      }
      await sleep(pause * 1000)
    }
  }
}

/** The default: a retry of a DELETE that finds nothing is a success, and has no result. */
const isDeleted = (method) => (error) => {
  if (method !== 'DELETE' || error.status !== 404) throw error
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

function decoded(text, answer, bytes) {
  const kind = (answer.headers.get('content-type') ?? '').split(';')[0]
  if (/^text\/|^application\/x-(pem-file|ndjson)$/.test(kind)) return text
  return kind.endsWith('json') ? json(text) : bytes.length ? bytes : undefined
}

const json = (text) => (text ? JSON.parse(text) : undefined)
const jsonLines = (text) => text.split('\n').filter((line) => line.trim()).map((line) => JSON.parse(line))
const duration = (seconds) => (Number.isInteger(seconds) ? `${seconds}s` : `${Math.round(seconds * 1000)}ms`)

/** A path; what is filled in is escaped. */
const path = (texts, ...values) => String.raw({ raw: texts }, ...values.map((value) => encodeURIComponent(value)))

module.exports = { PushError, Client, duration, json, jsonLines, path, sleep }
