'use strict'
// The client of the mock, `pushsend mock`, for tests.

const { AssertionError } = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { Client, duration, path } = require('./core.js')

class Mock extends Client {
  #process
  #url
  #accessToken

  /** A mock that runs at `url`. `start` starts one. */
  constructor(url, { accessToken, namespace, environment = {}, timeout = 10 } = {}) {
    super(url + (namespace ? path`/v1/namespaces/${namespace}` : ''), accessToken, { timeout, retries: 2, longestPause: 5 })
    this.#url = url
    this.#accessToken = accessToken
    this.namespace = namespace
    /** APNS_URL, APNS_CA and the other variables of `pushsend mock exec`, for the program under test. */
    this.environment = environment
  }

  /**
   * Takes the mock of MOCK_URL, or else starts one. It ends with `close`, and with this process. `options` are those of
   * `pushsend mock exec`; with options, it always starts a new one.
   */
  static async start({ options = [], program = process.env.PUSHSEND_BINARY ?? 'pushsend' } = {}) {
    const { MOCK_URL, ...inherited } = process.env
    const accessToken = process.env.PUSHSEND_MOCK_TOKEN
    if (MOCK_URL && !options.length) {
      const environment = Object.fromEntries(Object.entries(inherited).filter(([name]) => name.startsWith('APNS_')))
      return new Mock(MOCK_URL, { environment, accessToken })
    }
    // The mock ends with its command, and `cat` ends when its input is closed: also if this process is killed.
    const script = "env | grep -E '^(APNS_|MOCK_|PUSHSEND_STATE)'; echo; exec cat"
    const child = spawn(program, ['mock', 'exec', ...options, '--', 'sh', '-c', script], { env: inherited, stdio: ['pipe', 'pipe', 'inherit'] })
    const failed = once(child, 'error').then(([error]) => {
      throw new Error(`There is no ${program}. Install pushsend, or set PUSHSEND_BINARY or MOCK_URL.`, { cause: error })
    })
    failed.catch(() => {})
    const environment = await Promise.race([variables(child), failed])
    const mock = new Mock(environment.MOCK_URL, { environment, accessToken })
    mock.#process = child
    for (const each of [child, child.stdin, child.stdout]) each.unref() // It does not keep this process alive.
    return mock
  }

  // --- Pushes: a search is described in docs/mock-api.md, for example 'title:Hello topic:com.example.*'

  /** Waits for pushes that match, and returns them. Fails the test with the nearest pushes if they do not come. */
  wait(search = '', { within = 5, ...expected } = {}) {
    return this.#expect('wait', search, { within, ...expected })
  }

  /** The same for pushes that have arrived already. */
  assertPushed(search = '', expected = {}) {
    return this.#expect('assert', search, expected)
  }

  /** Fails the test if a matching push arrived, or arrives within so many seconds. */
  assertNothingPushed(search = '', { within, ...expected } = {}) {
    return this.#expect(within ? 'wait' : 'assert', search, { within, none: true, ...expected })
  }

  /** Fails the test if a client broke a rule of APNs, also one that APNs does not enforce. Rules that are only a guess don't count. */
  async assertNoViolations() {
    const items = (await this.violations({ limit: 1000 })).items.filter((each) => each.confidence !== '?')
    const rules = items.slice(0, 5).map((each) => `  ${each.id} (push ${each.push}): ${each.fact} ${each.detail ?? ''}`)
    if (items.length) fail([`Clients broke rules of APNs (${items.length}):`, ...rules])
  }

  async #expect(verb, search, { within, atLeast, ...rest }) {
    const body = { ...(Array.isArray(search) ? { in_order: search } : { query: search }), at_least: atLeast, ...rest }
    const answer = await this.#ask('POST', `/pushes/${verb}`, {
      body: { ...body, within: within && duration(within) }, repeatable: true, longer: (within ?? 10) + 5,
      accepts: (answer) => answer.status === 409,
    })
    if (answer.holds) return answer.matches
    const near = (answer.near_misses ?? []).flatMap(({ push, differences }) => [
      `  near: ${described(push)}`,
      ...differences.map(({ expected, found = 'nothing' }) => `      expected ${expected}, found ${found}`),
    ])
    fail([answer.detail, ...(answer.matches ?? []).slice(0, 5).map((push) => `  it matched: ${described(push)}`), ...near])
  }

  #ask(method, rest, options) {
    return this.request(method, (this.namespace ? '' : '/v1') + rest, options)
  }

  pushes(search = '', query) {
    return this.#ask('GET', '/pushes', { query: { q: search, ...query } })
  }

  push(number) {
    return this.#ask('GET', path`/pushes/${number}`)
  }

  latest(search = '') {
    return this.#ask('GET', '/pushes/latest', { query: { q: search } })
  }

  async count(search = '') {
    return (await this.#ask('GET', '/pushes/count', { query: { q: search } })).count
  }

  clear() {
    return this.#ask('DELETE', '/pushes')
  }

  violations(query) {
    return this.#ask('GET', '/violations', { query })
  }

  /** Sends a push to the mock itself, signed with its key: token, payload, topic, ... */
  send(push) {
    return this.#ask('POST', '/send', { body: push })
  }

  // --- Faults, devices, clock, settings

  /** Injects a fault, and returns its id: `{ steps: [{ answer: { status: 503 } }], times: 1 }`. docs/mock-api.md#failure-injection has all steps. */
  async inject(fault) {
    return (await this.#ask('POST', '/faults', { body: fault })).ids[0]
  }

  faults() {
    return this.#ask('GET', '/faults')
  }

  fault(id) {
    return this.#ask('GET', path`/faults/${id}`)
  }

  removeFault(id) {
    return this.#ask('DELETE', path`/faults/${id}`)
  }

  removeFaults() {
    return this.#ask('DELETE', '/faults')
  }

  /** Registers or changes a device: `{ state: 'unregistered' }`, `{ online: false }`, ... */
  setDevice(token, device) {
    return this.#ask('PUT', path`/devices/${token}`, { body: device })
  }

  device(token) {
    return this.#ask('GET', path`/devices/${token}`)
  }

  devices(query) {
    return this.#ask('GET', '/devices', { query })
  }

  removeDevice(token) {
    return this.#ask('DELETE', path`/devices/${token}`)
  }

  removeDevices() {
    return this.#ask('DELETE', '/devices')
  }

  /** Plays a scenario: 'apns-outage', 'throttled', ... or your own. */
  play(scenario) {
    return this.#ask('PUT', '/scenario', { body: typeof scenario === 'string' ? { name: scenario } : scenario })
  }

  endScenario() {
    return this.#ask('DELETE', '/scenario')
  }

  clock() {
    return this.#ask('GET', '/clock')
  }

  setClock(now, { stopped } = {}) {
    return this.#ask('PUT', '/clock', { body: { now, stopped } })
  }

  advanceClock(by) {
    return this.#ask('POST', '/clock/advance', { body: { by } })
  }

  settings() {
    return this.#ask('GET', '/settings')
  }

  changeSettings(settings) {
    return this.#ask('PATCH', '/settings', { body: settings })
  }

  // --- The mock itself

  setup() {
    return this.#ask('GET', '/setup')
  }

  /** The private key that signs provider tokens for this mock, a .p8. */
  keyPEM() {
    return this.#ask('GET', '/key.p8', { read: (text) => text })
  }

  async reset() {
    await this.#ask('POST', '/reset', { repeatable: true })
  }

  makeNamespace(name, options) {
    return this.request('POST', '/v1/namespaces', { body: { name, ...options } })
  }

  /** Makes a part of the mock with its own port, log, devices and faults, for tests that run at the same time. */
  async inNamespace(name, options) {
    await this.makeNamespace(name, options)
    return new Mock(this.#url, { accessToken: this.#accessToken, namespace: name, environment: this.environment })
  }

  deleteNamespace(name) {
    return this.request('DELETE', path`/v1/namespaces/${name}`)
  }

  async close() {
    if (!this.#process) return
    const ended = once(this.#process, 'exit')
    this.#process.ref()
    this.#process.stdin.end()
    await ended
    this.#process = undefined
  }
}

async function variables(child) {
  let text = ''
  child.stdout.setEncoding('utf8')
  for await (const part of child.stdout.iterator({ destroyOnReturn: false })) {
    text += part
    if (text.includes('\n\n')) break
  }
  if (!text.includes('MOCK_URL=')) throw new Error("The mock didn't start. Its message is on standard error.")
  child.stdout.resume()
  return Object.fromEntries(text.trim().split('\n').map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]))
}

function fail(lines) {
  throw new AssertionError({ message: lines.join('\n'), stackStartFn: fail })
}

function described({ number, status, reason, push_type: type = '', topic = '', token = '', payload = '' }) {
  const short = token.length <= 12 ? token : `${token.slice(0, 8)}…${token.slice(-4)}`
  return [number, status, reason ?? type, topic, short, payload.slice(0, 200)].join('  ')
}

module.exports = { Mock }
