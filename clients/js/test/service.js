'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const { test } = require('node:test')
const { inspect } = require('node:util')
const { setTimeout: sleep } = require('node:timers/promises')
const { PushError, PushService, WebhookError, verifyWebhook } = require('pushprovider')
const { apnsMock } = require('pushprovider/testing')
const { real } = require('./real.js')

const push = (digit, text = 'Hello') => ({ token: `5f3ad1c07b9e42${digit.toString(16).padStart(2, '0')}`, payload: { aps: { alert: text } } })
const later = { status: 503, code: 'queue_unavailable', detail: "The queue can't be used at the moment." }
const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
const broken = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } })
const all = async (source) => {
  const found = []
  for await (const each of source) found.push(each)
  return found
}

/** A client whose server gives these answers: an error, or status, body and headers. */
function answering(answers, options) {
  const requests = []
  const fetch = async (url, init) => {
    requests.push({ url, ...init })
    const given = answers[Math.min(requests.length, answers.length) - 1]
    if (given instanceof Error) throw given
    const [status, body, headers] = given
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })
  }
  return [new PushService('http://service.example', 'psk_secret', { fetch, ...options }), requests]
}

test('a retry has the same key', async () => {
  for (const failure of [[503, later, { 'retry-after': '0' }], refused, broken]) {
    const [service, requests] = answering([failure, [202, { id: '1', result: 'queued' }]])
    assert.equal((await service.send(push(1))).id, '1')
    assert.equal(requests.length, 2)
    assert.equal(requests[0].headers['idempotency-key'], requests[1].headers['idempotency-key'])
    await service.send(push(1))
    assert.notEqual(requests[2].headers['idempotency-key'], requests[1].headers['idempotency-key'])
  }
})

test('a push to a user has an answer for each device', async () => {
  const answer = { items: [{ id: '1', result: 'queued' }, { id: '2', result: 'queued' }], devices: 2 }
  const [service, requests] = answering([[202, answer]])
  const body = { user: '42', payload: { aps: {} } }
  assert.deepEqual(await service.sendToUser(body), answer)
  assert.deepEqual(JSON.parse(requests[0].body), body)
})

test('an error has what repeats the call', async () => {
  const [service, requests] = answering([refused], { retries: 0 })
  const error = await service.send(push(1), { wait: 0 }).catch((error) => error)
  assert.equal(error.idempotencyKey, requests[0].headers['idempotency-key'])
  assert.equal(new URL(requests[0].url).search, '')
})

test('a retry is not refused for what the first request did', async () => {
  let [service] = answering([broken, [404, { code: 'not_found' }]])
  await service.forgetGoneToken('0f0f')
  ;[service] = answering([broken, [409, { code: 'already_finished', outcome: 'not_sent' }]])
  assert.deepEqual(await service.cancel('1'), { id: '1', result: 'cancelled' })
  const conflict = [409, { code: 'campaign_state' }]
  ;[service] = answering([broken, conflict, [200, { state: 'finished', started_at: '2030-01-01T00:00:00Z' }]])
  assert.equal((await service.startCampaign('1')).state, 'finished')
  ;[service] = answering([broken, conflict, [200, { state: 'cancelled' }]])
  await assert.rejects(service.startCampaign('1'), { code: 'campaign_state' })
  ;[service] = answering([[404, { code: 'not_found' }]])
  await assert.rejects(service.forgetGoneToken('0f0f'), { code: 'not_found' })
})

test('an answer of something else is an error', async () => {
  const [service, requests] = answering([[200, '<html>']])
  await assert.rejects(service.status(), { code: 'bad_answer', status: 200 })
  assert.equal(requests.length, 1)
})

test('a key with a line break is refused and not shown', () => {
  for (const key of ['psk_secret\nabc', 'psk_secret\n', 'psk_sécret']) {
    const isRight = (error) => error instanceof TypeError && !error.message.includes('psk_')
    assert.throws(() => new PushService('http://service.example', key), isRight)
  }
})

test('what may have happened is not repeated', async () => {
  for (const failure of [[503, later], broken]) {
    const [service, requests] = answering([failure])
    await assert.rejects(service.request('POST', '/v1/something'), PushError)
    assert.equal(requests.length, 1)
  }
  const [service, requests] = answering([[429, later, { 'retry-after': '0' }], [200, {}]])
  await service.request('POST', '/v1/something')
  assert.equal(requests.length, 2)
})

test('retries are bounded', async () => {
  let [service, requests] = answering([[503, later, { 'retry-after': '0' }]], { retries: 2 })
  await assert.rejects(service.status(), { code: 'queue_unavailable' })
  assert.equal(requests.length, 3)
  ;[service, requests] = answering([[503, later, { 'retry-after': '3600' }]])
  await assert.rejects(service.status(), { retryAfter: 3600 })
  assert.equal(requests.length, 1)
})

test('Retry-After is waited for', async () => {
  const [service] = answering([[503, later, { 'retry-after': '1' }], [200, {}]])
  const before = performance.now()
  await service.status()
  assert.ok(performance.now() - before >= 990)
})

test('a redirect is not followed', async () => {
  const [service, requests] = answering([[307, '', { location: 'http://elsewhere.example/' }]])
  await assert.rejects(service.status(), { status: 307 })
  assert.deepEqual([requests.length, requests[0].redirect], [1, 'manual'])
})

test('a slow answer ends with an error', async () => {
  const fetch = (url, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const service = new PushService('http://service.example', 'psk', { fetch, timeout: 0.05, retries: 0 })
  const alive = setTimeout(() => {}, 10_000) // The timer of a signal keeps no process alive.
  await assert.rejects(service.status(), { code: 'no_answer' })
  clearTimeout(alive)
})

test('no key is shown', async () => {
  const [service] = answering([refused], { retries: 0 })
  const error = await service.send(push(1)).catch((error) => error)
  assert.doesNotMatch(inspect(service, { depth: 9, showHidden: true }) + JSON.stringify(service) + inspect(error), /psk_secret|5f3ad1c0/)
})

test('an error has the problem document', async (t) => {
  const error = await real(t).send({ token: '0f0f', payload: { aps: { badge: '3' } } }).catch((error) => error)
  assert.deepEqual([error.status, error.code, error.field], [422, 'payload_refused', '/payload/aps/badge'])
  assert.ok(error.message.includes(error.remedy))
  assert.equal(error.problem.findings[0].rule, 'badge-number')
})

test('a repeated call sends nothing twice', async (t) => {
  const mock = await apnsMock(t)
  for (let count = 0; count < 3; count++) await real(t).send(push(1, 'once-js'), { idempotencyKey: 'order-js' })
  await mock.wait('body:once-js', { exactly: 1 })
})

test('a stream is read no faster than it is stored', async (t) => {
  let taken = 0
  function* source() {
    for (let number = 0; number < 25; number++) {
      taken++
      yield number === 3 ? { token: 'x' } : push(number)
    }
  }
  const answers = real(t).sendStream(source(), { batch: 10 })
  const { value } = await answers.next()
  assert.deepEqual([value.line, value.result, taken], [1, 'queued', 10])
  const rest = await all(answers)
  assert.deepEqual(rest.map((each) => each.line), Array.from({ length: 24 }, (_, index) => index + 2))
  assert.deepEqual(rest.filter((each) => each.result === 'invalid').map((each) => each.line), [4])
})

test('a stream of refused lines answers each', async (t) => {
  assert.deepEqual((await all(real(t).sendStream([{ token: 'x' }, { token: 'y' }]))).map((each) => each.result), ['invalid', 'invalid'])
})

test('a broken stream repeats its batch with the same dedupe keys', async () => {
  const type = { 'content-type': 'application/x-ndjson' }
  const stopped = '{"line":1,"id":"1","result":"queued"}\n' + JSON.stringify({ result: 'stopped', problem: later })
  const [service, requests] = answering([broken, [202, stopped, type], [202, '{"line":1,"id":"2","result":"duplicate"}\n', type]])
  const answers = await all(service.sendStream([push(1), push(2)]))
  assert.deepEqual(answers.map((each) => [each.line, each.id]), [[1, '1'], [2, '2']])
  assert.equal(requests[0].body, requests[1].body)
  assert.equal(requests[2].body, requests[0].body.split('\n')[1] + '\n')
})

test('answers of a stopped stream can have gaps', async () => {
  const type = { 'content-type': 'application/x-ndjson' }
  const first = [{ line: 1, id: 'a', result: 'queued' }, { line: 3, id: 'c', result: 'queued' }, { result: 'stopped', problem: later }]
  const second = [{ line: 1, id: 'x', result: 'queued' }, { line: 2, id: 'y', result: 'queued' }]
  const text = (lines) => lines.map((line) => JSON.stringify(line)).join('\n')
  const [service, requests] = answering([[202, text(first), type], [202, text(second), type]])
  const answers = await all(service.sendStream([push(1), push(2), push(3), push(4)]))
  assert.deepEqual(answers.map((each) => [each.line, each.id]), [[1, 'a'], [2, 'x'], [3, 'c'], [4, 'y']])
  const [one, two] = requests.map(({ body }) => body.trim().split('\n'))
  assert.deepEqual(two, [one[1], one[3]])
})

test('answers that are known come before the error', async () => {
  const text = '{"line":2,"id":"b","result":"queued"}\n' + JSON.stringify({ result: 'stopped', problem: later })
  const [service, requests] = answering([[202, text, { 'content-type': 'application/x-ndjson' }], [503, later]], { retries: 0 })
  const found = []
  const sending = async () => {
    for await (const each of service.sendStream(Array(3).fill({ token: '0f0f', dedupe_key: null }))) found.push([each.line, each.id])
  }
  await assert.rejects(sending(), { code: 'queue_unavailable' })
  assert.deepEqual(found, [[2, 'b']])
  const keys = requests[0].body.trim().split('\n').map((line) => JSON.parse(line).dedupe_key)
  assert.equal(new Set(keys.filter(Boolean)).size, 3)
})

test('lists continue where the service says', async () => {
  const parameter = (name) => ({ url }) => new URL(url).searchParams.get(name)
  let [service, requests] = answering([[200, { line: 1, after: 9 }], [200, '']])
  assert.deepEqual((await all(service.report('1'))).map((line) => line.after), [9])
  assert.deepEqual(requests.map(parameter('after')), ['0', '9'])
  const pages = [{ items: [], next: 'c_1' }, { items: [{ id: '1' }], next: 'c_2' }, { items: [], next: 'c_2' }]
  ;[service, requests] = answering(pages.map((page) => [200, page]))
  assert.deepEqual(await all(service.each(service.newestResults)), [{ id: '1' }])
  assert.deepEqual(requests.map(parameter('before')), [null, 'c_1', 'c_2'])
})

test('what is missing by mistake does not mean everything', async () => {
  const [service, requests] = answering([[200, { cancelled: 1, unknown: 0 }]])
  await service.cancelAll({ app: 'shop', collapse_id: 'order-1', token: undefined })
  assert.deepEqual(JSON.parse(requests[0].body), { collapse_id: 'order-1', token: null })
  for (let count = 0; count < 2; count++) await service.send(push(1), { idempotencyKey: null })
  const [one, two] = requests.slice(1).map(({ headers }) => headers['idempotency-key'])
  assert.ok(one && two && one !== two)
})

test('an upload has what no batch has a value for', async () => {
  const batches = [['a', 'b'], ['b', 'c']].map((unfilled) => [200, { upload: { accepted: 1, refusals: [], unfilled } }])
  const [service] = answering(batches)
  const { accepted, unfilled } = await service.upload('1', [push(1), push(2)], { batch: 1 })
  assert.deepEqual([accepted, unfilled], [2, ['b']])
})

test('results continue after a cursor', async (t) => {
  const service = real(t)
  const results = service.results()
  const seen = new Set((await all(results)).map((each) => each.id))
  assert.equal(results.gap, false)
  const { id } = await service.send(push(1), { wait: 10 })
  const next = await all(service.results(results.cursor))
  assert.ok(next.some((each) => each.id === id) && !next.some((each) => seen.has(each.id)))
})

test('an upload continues where it was interrupted', async (t) => {
  const service = real(t)
  const draft = await service.makeCampaign({ name: 'Many' })
  const lines = Array.from({ length: 30 }, (_, number) => push(number))
  assert.equal((await service.upload(draft.id, lines.slice(0, 12), { batch: 5 })).accepted, 12)
  const total = await service.upload(draft.id, lines, { batch: 10 })
  assert.deepEqual([total.repeated, total.accepted, total.next_line], [12, 18, 31])
})

const other = 'whsec_' + 'b3Ro'.repeat(8)

test('a secret that cannot be used says nothing about the message', () => {
  for (const secret of ['', 'whsec_', 'whsec_b3RoZXI=', other + '!', other + 'b', undefined]) {
    for (const secrets of [[other, secret], []]) {
      assert.throws(() => verifyWebhook('{}', {}, secrets), { name: 'TypeError', message: /whsec_/ })
    }
  }
})

test('a message of the service is verified', async (t) => {
  const { id } = await real(t).send(push(1), { wait: 10 })
  const { WEBHOOK_MESSAGES: file, WEBHOOK_SECRET: secret } = process.env
  let message
  for (const end = Date.now() + 10_000; !message && Date.now() < end; await sleep(50)) {
    const lines = fs.readFileSync(file, 'utf8').split('\n').slice(0, -1)
    message = lines.map((line) => JSON.parse(line)).find(({ body }) => body.includes(id))
  }
  const { body, headers } = message
  const event = verifyWebhook(body, headers, [other, secret])
  assert.deepEqual([event.type, event.data.id, event.id], ['notification.accepted', id, `msg_${id}`])
  for (const bytes of [Buffer.from(body), new TextEncoder().encode(body)]) {
    assert.equal(verifyWebhook(bytes, new Headers(headers), secret).data.id, id)
  }
  const wrong = [
    [400, body + ' ', headers, secret],
    [400, body, headers, other],
    [400, body, { ...headers, 'webhook-id': 'msg_other' }, secret],
    [425, body, headers, secret, { now: Date.now() / 1000 + 301 }],
    [400, body, {}, secret],
  ]
  for (const [status, ...each] of wrong) {
    const isRight = (error) => error instanceof WebhookError && error.status === status && !error.message.includes(secret)
    assert.throws(() => verifyWebhook(...each), isRight)
  }
})
