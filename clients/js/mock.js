'use strict'
// The client of the mock, `pushsend mock`, for tests.

const { AssertionError } = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { Client, duration, path } = require('./core.js')

/** What `pushsend mock exec` sets: docs/mock.md#environment-variables. */
const VARIABLES = [
  'APNS_URL', 'APNS_HOST', 'APNS_PORT', 'APNS_CA', 'APNS_KEY_FILE', 'APNS_KEY_ID', 'APNS_TEAM_ID', 'APNS_TOPIC', 'MOCK_URL',
  'PUSHSEND_STATE', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE',
]

class Mock extends Client {
  #process
  #delete
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
   * Takes the mock of MOCK_URL, or else starts one within `timeout` seconds. It ends with `close`, and with this process. `options` are those of
   * `pushsend mock exec`; with options, it always starts a new one.
   */
  static async start({ options = [], program = process.env.PUSHSEND_BINARY ?? 'pushsend', timeout = 30 } = {}) {
    const { MOCK_URL, ...inherited } = process.env
    const accessToken = process.env.PUSHSEND_MOCK_TOKEN
    if (MOCK_URL && !options.length) {
      const environment = Object.fromEntries(VARIABLES.filter((name) => name in process.env).map((name) => [name, process.env[name]]))
      return new Mock(MOCK_URL, { environment, accessToken })
    }
    // The mock ends with its command, and `cat` ends when its input is closed: also if this process is killed.
    const script = `printf '%s\\n' ${VARIABLES.map((name) => `"$${name}"`).join(' ')}; exec cat`
    const child = spawn(program, ['mock', 'exec', ...options, '--', 'sh', '-c', script], { env: inherited, stdio: ['pipe', 'pipe', 'inherit'] })
    const failed = once(child, 'error').then(([error]) => {
      throw new Error(`There is no ${program}. Install pushsend, or set PUSHSEND_BINARY or MOCK_URL.`, { cause: error })
    })
    failed.catch(() => {})
    const timer = setTimeout(() => child.kill() && child.stdout.destroy(), timeout * 1000)
    const environment = await Promise.race([variables(child), failed]).finally(() => clearTimeout(timer))
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
    return this.#expect(within ? 'wait' : 'assert', search, { within: within || undefined, none: true, ...expected })
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
      body: { ...body, within: within === undefined ? undefined : duration(within) }, repeatable: true, longer: (within ?? 10) + 5,
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
    return this.ask(method, '/v1' + rest, options)
  }

  /** The address of a namespace stands for /v1. */
  ask(method, path, options) {
    return super.ask(method, this.namespace ? path.replace(/^\/v1/, '') : path, options)
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
    return this.ask('POST', '/v1/namespaces', { body: { name, ...options } })
  }

  /**
   * Makes a part of the mock with its own port, log, devices and faults, for tests that run at the same time. Its `environment` names the
   * port. `close` deletes it.
   */
  async inNamespace(name, options) {
    await this.makeNamespace(name, options)
    const part = new Mock(this.#url, { accessToken: this.#accessToken, namespace: name })
    const { url, host, port } = await part.setup()
    part.environment = { ...this.environment, APNS_URL: url, APNS_HOST: host, APNS_PORT: String(port) }
    part.#delete = () => this.deleteNamespace(name)
    return part
  }

  deleteNamespace(name) {
    return this.ask('DELETE', path`/v1/namespaces/${name}`)
  }

  get hasEnded() {
    return Boolean(this.#process) && (this.#process.exitCode ?? this.#process.signalCode) !== null
  }

  async close() {
    await this.#delete?.().catch(() => {}) // The mock has ended, or the namespace was deleted.
    if (!this.#process || this.hasEnded) return
    const ended = once(this.#process, 'exit')
    this.#process.ref()
    this.#process.stdin.end()
    await ended
  }
}

async function variables(child) {
  let text = ''
  child.stdout.setEncoding('utf8')
  try {
    for await (const part of child.stdout.iterator({ destroyOnReturn: false })) {
      text += part
      if (text.split('\n').length > VARIABLES.length) break
    }
  } catch {} // It took too long.
  const values = text.split('\n')
  if (values.length <= VARIABLES.length) throw new Error("The mock didn't start. Its message is on standard error.")
  child.stdout.resume()
  return Object.fromEntries(VARIABLES.map((name, index) => [name, values[index]]))
}

function fail(lines) {
  throw new AssertionError({ message: lines.join('\n'), stackStartFn: fail })
}

function described({ number, status, reason, push_type: type = '', topic = '', token = '', payload = '' }) {
  const short = token.length <= 12 ? token : `${token.slice(0, 8)}…${token.slice(-4)}`
  return [number, status, reason ?? type, topic, short, payload.slice(0, 200)].join('  ')
}

module.exports = { Mock }
