'use strict'
// The client of the service, `pushserve`. Members of pushes and answers have the names of the API, as docs/service.md lists them.

const { randomUUID } = require('node:crypto')
const { Client, PushError, duration, jsonLines, path, sleep } = require('./core.js')

/** How many pushes or lines one request of a stream has, and how many refusals `upload` keeps. */
const BATCH = 500
const KEPT_REFUSALS = 1000

const ndjson = { 'content-type': 'application/x-ndjson' }
const lines = (values) => values.map((value) => JSON.stringify(value) + '\n').join('')

class PushService extends Client {
  // --- Pushes

  /** Sends a push. With `wait`, the answer has the outcome if it comes within so many seconds, at most 60. */
  send(push, { wait, idempotencyKey, validateOnly } = {}) {
    const query = { wait: wait ? duration(wait) : undefined, validate_only: validateOnly }
    const headers = { 'idempotency-key': idempotencyKey || randomUUID() }
    return this.ask('POST', '/v1/notifications', { query, body: push, headers, longer: wait })
  }

  /** Sends a push to all devices of its `user`: `devices` is their number, and `items` has an answer for each. */
  sendToUser(push, options) {
    return this.send(push, options)
  }

  /** Sends up to 1000 pushes, all or none of them. */
  async sendAll(pushes, options = {}) {
    return (await this.send(pushes, { ...options, wait: undefined })).items
  }

  /**
   * Sends any number of pushes, and yields an answer for each, in their order. They are read no faster than the service stores them: the
   * next batch only when the last one is answered. Each push has a dedupe key, so that a batch can be repeated. An error comes after the
   * answers that are known; the `line` of each tells which push it is for.
   */
  async *sendStream(pushes, { batch = BATCH } = {}) {
    let first = 1
    for await (const chosen of batches(pushes, batch)) {
      const bodies = chosen.map((push) => lines([{ ...push, dedupe_key: push?.dedupe_key || randomUUID() }]))
      const made = []
      try {
        await this.#sendBatch(bodies, first, made)
      } finally {
        yield* made.filter(() => true) // Without the gaps that an error leaves.
      }
      first += chosen.length
    }
  }

  async #sendBatch(bodies, first, made) {
    let waiting = [...bodies.keys()]
    while (waiting.length) {
      const answers = await this.ask('POST', '/v1/notifications', {
        body: waiting.map((index) => bodies[index]).join(''), headers: ndjson, repeatable: true, longer: 60, read: jsonLines,
        accepts: (answer) => answer.status === 422 && answer.headers.get('content-type')?.includes('ndjson'),
      })
      for (const answer of answers) {
        const index = waiting[answer.line - 1]
        if (index !== undefined) made[index] = { ...answer, line: first + index }
      }
      const left = waiting.filter((index) => !made[index])
      if (left.length === waiting.length) {
        const stopped = answers.find((answer) => answer.result === 'stopped')
        throw new PushError({ status: 0, code: 'stream_stopped', detail: 'The service ended the stream.', ...stopped?.problem })
      }
      waiting = left
    }
  }

  notification(id, { app, history } = {}) {
    return this.ask('GET', path`/v1/notifications/${id}`, { query: { app, history } })
  }

  /** Lists notifications by one of ids, outcome and state, or finds those with a token, a collapse id or a dedupe key. */
  notifications({ ids, ...query } = {}) {
    return this.ask('GET', '/v1/notifications', { query: { ids: ids?.join(','), ...query } })
  }

  cancel(id, query) {
    const done = (error) => {
      if (error.code !== 'already_finished' || error.problem.outcome !== 'not_sent') throw error
      return { id, result: 'cancelled' }
    }
    return this.ask('DELETE', path`/v1/notifications/${id}`, { query, done })
  }

  /**
   * Cancels all waiting pushes of an app, or those that match `token`, `collapse_id` and `due_before`, and returns how many. With `dry_run`,
   * it only counts them. The service refuses null, and undefined becomes null: a value that is missing by mistake must not mean everything.
   */
  cancelAll({ app, ...matching } = {}) {
    const body = JSON.stringify(matching, (_, value) => value ?? null)
    return this.ask('POST', '/v1/notifications/cancel', { query: { app }, body })
  }

  // --- Results

  resultsPage(query) {
    return this.ask('GET', '/v1/results', { query })
  }

  /** Outcomes after a cursor, in the order in which they were stored. */
  results(after, options) {
    return new Results(this, after, options)
  }

  /** The newest outcomes first. `after` is the `next` of the previous page, so `each` reads them all. */
  newestResults({ after, ...query } = {}) {
    return this.ask('GET', '/v1/results', { query: { order: 'newest', ...query, before: after ?? query.before } })
  }

  /** Outcomes counted by reason, app or minute, of the last hour or since a time. */
  statistics(query) {
    return this.ask('GET', '/v1/statistics', { query })
  }

  deadLetters(query) {
    return this.ask('GET', '/v1/dead-letters', { query })
  }

  redrive(ids, { app, ttl } = {}) {
    return this.ask('POST', '/v1/dead-letters/redrive', { query: { app }, body: { ids, ttl }, repeatable: true })
  }

  goneTokens(query) {
    return this.ask('GET', '/v1/gone-tokens', { query })
  }

  forgetGoneToken(token, query) {
    return this.ask('DELETE', path`/v1/gone-tokens/${token}`, { query })
  }

  /** Everything that is kept of a device token: an object for each notification, and for each app that has it as gone. */
  export(token, { app } = {}) {
    return this.ask('GET', '/v1/export', { query: { token, app }, longer: 60, read: jsonLines })
  }

  /** Erases everything that concerns a device token, and returns how many notifications that were. */
  async erase(token, { app } = {}) {
    const done = (error) => { throw error }
    return (await this.ask('DELETE', '/v1/notifications', { query: { token, app }, longer: 60, done })).erased
  }

  /** Each entry of all pages: `service.each(service.goneTokens)`. */
  async *each(list, query = {}) {
    for (let after = query.after; ; ) {
      const page = await list.call(this, { ...query, after })
      yield* page.items
      if (page.next === null || page.next === undefined || (!page.items.length && page.next === after)) return
      after = page.next
    }
  }

  // --- Campaigns

  /** Makes a draft: name, payload, rate and the other members of NewCampaign. */
  makeCampaign(campaign, { idempotencyKey } = {}) {
    return this.ask('POST', '/v1/campaigns', { body: campaign, headers: { 'idempotency-key': idempotencyKey || randomUUID() } })
  }

  /**
   * Adds lines to a campaign. To continue after an interruption, call it again with the same lines: each has its number, and the service
   * ignores those that it has.
   */
  async upload(id, source, { first = 1, batch = BATCH, app } = {}) {
    const total = { accepted: 0, repeated: 0, refused: 0, doubled: 0, refusals: [], doubled_lines: [], next_line: first }
    for await (const chosen of batches(source, batch)) {
      const { upload } = await this.ask('POST', path`/v1/campaigns/${id}/lines`, {
        query: { from: first, app }, body: lines(chosen), headers: ndjson, repeatable: true, longer: 60,
      })
      for (const name of ['accepted', 'repeated', 'refused', 'doubled']) total[name] += upload[name] ?? 0
      total.refusals = total.refusals.concat(upload.refusals).slice(0, KEPT_REFUSALS)
      total.doubled_lines = total.doubled_lines.concat(upload.doubled_lines ?? []).slice(0, 100)
      const unfilled = upload.unfilled ?? []
      total.unfilled = total.unfilled?.filter((each) => unfilled.includes(each)) ?? unfilled
      total.next_line = upload.next_line
      first += chosen.length
    }
    return { unfilled: [], ...total }
  }

  campaign(id, query) {
    return this.ask('GET', path`/v1/campaigns/${id}`, { query })
  }

  campaigns(query) {
    return this.ask('GET', '/v1/campaigns', { query })
  }

  /** Changes the lines per second; `null` is no limit. */
  changeRate(id, rate, query) {
    return this.ask('PATCH', path`/v1/campaigns/${id}`, { query, body: { rate } })
  }

  startCampaign(id, query) {
    const done = async (error) => {
      const campaign = error.code === 'campaign_state' && (await this.campaign(id, { app: query?.app }))
      if (!campaign.started_at) throw error
      return campaign
    }
    return this.#step(id, 'start', query, done)
  }

  closeCampaign(id, query) {
    return this.#step(id, 'close', query)
  }

  pauseCampaign(id, query) {
    return this.#step(id, 'pause', query)
  }

  resumeCampaign(id, query) {
    return this.#step(id, 'resume', query)
  }

  cancelCampaign(id, query) {
    return this.#step(id, 'cancel', query)
  }

  #step(id, step, query, done) {
    return this.ask('POST', path`/v1/campaigns/${id}/${step}`, { query, repeatable: true, done })
  }

  /** The campaign now and each time that `every` seconds have passed, until it has ended. */
  async *watch(id, { every = 1, app } = {}) {
    for (;;) {
      const campaign = await this.campaign(id, { app })
      yield campaign
      if (['finished', 'cancelled'].includes(campaign.state)) return
      await sleep(every * 1000)
    }
  }

  /** The result of each line. */
  async *report(id, { onlyFailures, after = 0, app } = {}) {
    for (;;) {
      const query = { after, limit: 1000, only: onlyFailures ? 'failures' : undefined, app }
      const page = await this.ask('GET', path`/v1/campaigns/${id}/report`, { query, longer: 60, read: jsonLines })
      if (!page.length) return
      yield* page
      after = page.at(-1).after ?? page.at(-1).line
    }
  }

  // --- Apps

  /** The status and the audit show the reason to other people. */
  pauseApp(name, { reason } = {}) {
    return this.ask('POST', path`/v1/apps/${name}/pause`, { body: reason ? { reason } : undefined, repeatable: true })
  }

  resumeApp(name) {
    return this.ask('POST', path`/v1/apps/${name}/resume`, { repeatable: true })
  }

  status(query) {
    return this.ask('GET', '/v1/status', { query })
  }

  webhooks(query) {
    return this.ask('GET', '/v1/webhooks', { query })
  }

  /** Posts a test event, and waits for the answer. */
  testWebhook(app) {
    return this.ask('POST', path`/v1/webhooks/${app}/test`, { repeatable: true, longer: 60 })
  }

  /** Posts the events that wait after a failure now. */
  retryWebhook(app) {
    return this.ask('POST', path`/v1/webhooks/${app}/retry`, { repeatable: true })
  }

  /** Whether the service can store a push. */
  ready() {
    return this.ask('GET', '/readyz', { read: () => true })
  }
}

/**
 * Iterates over outcomes. Store `cursor` after each one, and begin with it the next time. It ends after the last one there is; with
 * `follow`, it waits for more. `gap` becomes true if outcomes were deleted before you read them.
 */
class Results {
  #service
  #options

  constructor(service, after, options = {}) {
    this.cursor = after
    this.gap = false
    this.#service = service
    this.#options = options
  }

  async *[Symbol.asyncIterator]() {
    const { app, follow } = this.#options
    for (;;) {
      const page = await this.#service.resultsPage({ after: this.cursor, app })
      this.gap ||= page.gap
      for (const item of page.items) {
        this.cursor = item.cursor
        yield item
      }
      if (page.items.length) continue
      this.cursor = page.next
      if (!follow) return
      await sleep(1000)
    }
  }
}

async function* batches(source, size) {
  let chosen = []
  for await (const each of source) {
    chosen.push(each)
    if (chosen.length < size) continue
    yield chosen
    chosen = []
  }
  if (chosen.length) yield chosen
}

module.exports = { PushService, Results }
