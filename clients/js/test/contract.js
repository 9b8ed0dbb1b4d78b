'use strict'
// Each operation of the OpenAPI documents is called against the real programs, and the types know each member of its answer.

const assert = require('node:assert/strict')
const { execFileSync, spawnSync } = require('node:child_process')
const { randomUUID } = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { test } = require('node:test')
const { Mock } = require('pushprovider')
const { real } = require('./real.js')

const root = process.env.PUSHPROVIDER_ROOT ?? path.join(__dirname, '../../..')
const push = (digit, more) => ({ token: `5f3ad1c07b9e428${digit}`, payload: { aps: { alert: 'Hello' } }, ...more })
const all = async (source) => {
  const found = []
  for await (const each of source) found.push(each)
  return found
}

class Document {
  constructor(name, target) {
    this.json = JSON.parse(fs.readFileSync(path.join(root, `Sources/OpenAPI/${target}/openapi.json`)))
    const lines = fs.readFileSync(path.join(root, 'clients/contract/not-offered.txt'), 'utf8').split('\n')
    this.notOffered = new Set(lines.filter((line) => line.startsWith(name + ' ')).map((line) => line.split(' ')[1]))
    this.called = new Set()
  }

  /** Notes the operation of each request of a client. */
  watch(client) {
    const ask = client.ask.bind(client)
    client.ask = (method, rest, options) => {
      const found = Object.entries(this.json.paths).filter(
        ([template, verbs]) => verbs[method.toLowerCase()] && new RegExp(`^${template.replace(/{\w+}/g, '[^/]+')}$`).test(rest),
      )
      const chosen = found.find(([template]) => template === rest) ?? found[0]
      assert.ok(chosen, `${method} ${rest} is not in the document`)
      this.called.add(chosen[1][method.toLowerCase()].operationId)
      return ask(method, rest, options)
    }
    return client
  }

  assertComplete() {
    const names = Object.values(this.json.paths).flatMap((verbs) => Object.values(verbs).map((each) => each.operationId))
    const open = names.filter((name) => !this.called.has(name) && !this.notOffered.has(name))
    assert.deepEqual(open, [], 'These are neither offered nor in clients/contract/not-offered.txt.')
  }
}

test('each operation of the service', async (t) => {
  const document = new Document('service', 'PushService')
  const service = document.watch(real(t))
  assert.equal(await service.ready(), true)
  const sent = await service.send(push(1, { dedupe_key: randomUUID() }), { wait: 10 })
  assert.equal(sent.notification.outcome.kind, 'accepted')
  assert.equal((await service.sendAll([push(2), push(3)])).length, 2)
  assert.deepEqual((await all(service.sendStream([push(4), push(5)]))).map((each) => each.result), ['queued', 'queued'])
  assert.ok((await service.notification(sent.id, { history: true })).history.length)
  assert.equal((await service.notifications({ ids: [sent.id] })).items[0].id, sent.id)
  for await (const result of service.results(undefined, { follow: true })) if (result.id === sent.id) break

  const { token } = push(1)
  assert.equal((await service.notifications({ token, limit: 1 })).items[0].id, sent.id)
  assert.ok((await all(service.each(service.newestResults, { outcome: 'accepted', limit: 2 }))).some((each) => each.id === sent.id))
  assert.ok((await service.statistics({ by: 'minute' })).items[0].accepted >= 1)
  assert.equal((await service.webhooks()).items[0].app, 'shop')
  assert.equal((await service.testWebhook('shop')).result, 'taken')
  await service.retryWebhook('shop')
  await assert.rejects(service.sendToUser({ user: '42', payload: { aps: { alert: 'Hello' } } }), { code: 'no_recipients' })

  const later = await service.send(push(6, { deliver_at: '2100-01-01T00:00:00Z' }))
  assert.equal((await service.cancel(later.id)).result, 'cancelled')
  await service.send(push(6, { deliver_at: '2100-01-01T00:00:00Z' }))
  assert.ok((await service.cancelAll()).cancelled >= 1)

  const dead = '990410'.padEnd(64, '0')
  const gone = await service.send({ ...push(1), token: dead }, { wait: 10 })
  assert.equal(gone.notification.outcome.reason, 'Unregistered')
  assert.deepEqual((await all(service.each(service.goneTokens))).map((each) => each.token), [dead])
  await service.forgetGoneToken(dead)
  assert.deepEqual((await service.deadLetters()).items, [])
  assert.equal((await service.redrive([sent.id])).items[0].result, 'not_a_dead_letter')

  const draft = await service.makeCampaign({ name: 'Points', payload: { aps: { alert: '{{name}}' } }, rate: 1000 })
  const upload = await service.upload(draft.id, [{ token: '5f3ad1c07b9e4286', name: 'Ann' }, { token: 'x', name: 'Ben' }])
  assert.deepEqual([upload.accepted, upload.refused, upload.next_line], [1, 1, 3])
  assert.equal((await service.changeRate(draft.id, 500)).rate, 500)
  await service.startCampaign(draft.id, { open: true })
  assert.equal((await service.pauseCampaign(draft.id)).state, 'paused')
  await service.resumeCampaign(draft.id)
  await service.closeCampaign(draft.id)
  assert.equal((await all(service.watch(draft.id, { every: 0.1 }))).at(-1).state, 'finished')
  assert.deepEqual((await all(service.report(draft.id))).map((line) => line.outcome), ['accepted', 'not_sent'])
  assert.deepEqual((await all(service.report(draft.id, { onlyFailures: true }))).map((line) => line.line), [2])
  const other = await service.makeCampaign({ name: 'None' })
  assert.match((await service.cancelCampaign(other.id)).state, /^cancel/)
  assert.ok((await all(service.each(service.campaigns, { limit: 1 }))).some((each) => each.id === other.id))
  assert.equal((await service.campaign(draft.id)).name, 'Points')

  await service.pauseApp('shop')
  assert.equal((await service.status()).apps[0].state, 'paused')
  await service.resumeApp('shop')
  assert.ok((await service.export(token)).some((line) => line.id === sent.id))
  assert.ok((await service.erase(token)) >= 1)
  assert.deepEqual(await service.export(token), [])
  document.assertComplete()
})

test('each operation of the mock', async (t) => {
  const document = new Document('mock', 'MockConsole')
  const mock = document.watch(await Mock.start({ options: ['--environment', 'sandbox'] }))
  t.after(() => mock.close())
  assert.ok((await mock.setup()).port)
  assert.match(await mock.keyPEM(), /PRIVATE KEY/)
  const hello = { token: '0f0f', payload: '{"aps":{"alert":"Hello"}}', topic: 'com.example.app', push_type: 'alert' }
  assert.equal((await mock.send(hello)).status, 200)
  assert.equal((await mock.wait('body:Hello', { exactly: 1 }))[0].token, '0f0f')
  assert.equal((await mock.assertPushed(['body:Hello'])).length, 1)
  await mock.assertNothingPushed('body:Other')
  await mock.assertNoViolations()
  const { number } = await mock.latest()
  assert.ok((await mock.push(number)).headers.length)
  assert.equal(await mock.count(), 1)
  assert.equal((await mock.pushes('body:Hello')).items[0].number, number)
  await mock.clear()

  const fault = await mock.inject({ steps: [{ answer: { status: 503, reason: 'ServiceUnavailable' } }], times: 2 })
  assert.equal((await mock.send(hello)).status, 503)
  assert.equal((await mock.fault(fault)).applied, 1)
  assert.equal((await mock.faults()).items.length, 1)
  await mock.removeFault(fault)
  await mock.removeFaults()

  assert.equal((await mock.setDevice('0f0f', { state: 'unregistered' })).state, 'unregistered')
  assert.equal((await mock.device('0f0f')).state, 'unregistered')
  assert.equal((await mock.devices()).items.length, 1)
  await mock.removeDevice('0f0f')
  await mock.removeDevices()
  assert.equal((await mock.play('throttled')).name, 'throttled')
  await mock.endScenario()
  assert.equal((await mock.advanceClock('3h')).is_moved, true)
  assert.equal((await mock.setClock('system')).is_moved, false)
  assert.equal((await mock.clock()).is_moved, false)
  assert.equal((await mock.changeSettings({ unknown_tokens: 'reject' })).unknown_tokens, 'reject')
  assert.equal((await mock.settings()).unknown_tokens, 'reject')

  const name = `team-${randomUUID().slice(0, 8)}`
  const part = await mock.inNamespace(name)
  assert.deepEqual(await part.assertNothingPushed('', { within: 0.1 }), [])
  assert.notEqual((await part.setup()).port, (await mock.setup()).port)
  await mock.deleteNamespace(name)
  await mock.reset()
  document.assertComplete()
})

// --- Types

const typeOf = {
  PushService: {
    Problem: 'Problem', PushProblem: 'PushProblem', Finding: 'Finding', NewNotification: 'Push', Accepted: 'Accepted', AcceptedItems: 'AcceptedItems', Notification: 'Notification', Outcome: 'Outcome', Statistics: 'Statistics',
    'Statistics.items': 'Count', Webhook: 'Webhook', 'Webhook.failures': 'WebhookFailure', 'Notification.tries': 'Try',
    'Notification.webhook': 'Posting',
    NotificationPage: 'Page<Notification>', AppStatus: 'AppStatus', DeliveryImport: 'DeliveryImport', NewCampaign: 'NewCampaign', Campaign: 'Campaign',
    'Campaign.upload': 'Upload', 'Campaign.upload.refusals': 'Refusal', ReportLine: 'ReportLine', 'Campaign.outcomes': 'OutcomeCount', 'Notification.history': 'HistoryEvent',
  },
  MockConsole: {
    Push: 'MockPush', Fact: 'Fact', Outcome: 'PhoneOutcome', Result: 'Matches', FaultCount: 'FaultCount', Device: 'Device', Clock: 'Clock',
    Scenario: 'Scenario', Violation: 'Violation', Namespace: 'Namespace', SentPush: 'SentPush', Setup: 'Setup', Problem: 'Problem', Fault: 'Fault',
  },
}

/** A program that fails to compile if a type lacks a member of the documents, or demands one that can be absent. */
function program() {
  const lines = [`import * as types from 'pushprovider'`, 'type Optional<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T]']
  for (const [target, names] of Object.entries(typeOf)) {
    const { schemas } = new Document('', target).json.components
    for (const [place, type] of Object.entries(names)) {
      const [name, ...members] = place.split('.')
      let schema = schemas[name]
      for (const member of members) schema = schema.properties[member]
      schema = schema.items ?? schema
      for (const member of Object.keys(schema.properties)) {
        lines.push(`{ const member: keyof types.${type} = '${member}'; member }`)
        if (!(schema.required ?? []).includes(member)) {
          lines.push(`{ const optional: Optional<types.${type}> = '${member}'; optional }`)
        }
      }
    }
  }
  return lines.join('\n') + '\n'
}

/** The operations whose answers are described in place. */
const inPlace = {
  cancel: 'Cancelled', cancelAll: 'CancelledAll', goneTokens: 'GoneToken', redrive: 'Redriven', status: 'Status', results: 'Page<Notification>',
}

function inPlaceProgram() {
  const { paths } = new Document('', 'PushService').json
  const lines = [`import * as types from 'pushprovider'`]
  for (const verbs of Object.values(paths)) {
    for (const { operationId, responses } of Object.values(verbs)) {
      if (!inPlace[operationId]) continue
      const { schema } = responses['200'].content['application/json']
      const item = operationId === 'goneTokens' || operationId === 'redrive' ? schema.properties.items.items : schema
      for (const member of Object.keys(item.properties)) {
        lines.push(`{ const member: keyof types.${inPlace[operationId]} = '${member}'; member }`)
      }
    }
  }
  return lines.join('\n') + '\n'
}

const hasCompiler = spawnSync('tsc', ['--version']).status === 0

function compile(t, files) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pushprovider-types-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
  fs.mkdirSync(path.join(folder, 'node_modules'))
  fs.symlinkSync(path.dirname(require.resolve('pushprovider/package.json')), path.join(folder, 'node_modules/pushprovider'))
  const options = { strict: true, noEmit: true, target: 'es2022', module: 'node16', moduleResolution: 'node16', lib: ['es2022', 'dom'], types: [] }
  fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }))
  const { status, stdout } = spawnSync('tsc', ['--project', folder], { encoding: 'utf8' })
  return { status, stdout }
}

const needsCompiler = { skip: hasCompiler ? false : 'tsc is not installed' }

test('the types have each member of the documents', needsCompiler, (t) => {
  const { status, stdout } = compile(t, { 'members.ts': program(), 'in-place.ts': inPlaceProgram() })
  assert.equal(status, 0, stdout)
})

test('a member that a type lacks does not compile', needsCompiler, (t) => {
  const text = `import * as types from 'pushprovider'\n{ const member: keyof types.Outcome = 'weather'; member }\n`
  assert.match(compile(t, { 'members.ts': text }).stdout, /weather/)
})

test('lines of a campaign and filters of lists compile', needsCompiler, (t) => {
  const text = `import { PushService } from 'pushprovider'\n
    declare const service: PushService\n
    interface Row { token: string; name: string }\n
    declare const rows: Row[]\n
    service.upload('1', [{ user: '42', name: 'Ann' }, { token: '0f0f', ref: 1 }])\n
    service.upload('1', rows)\n
    service.each(service.newestResults, { outcome: 'rejected' })\n
    service.each(service.notifications, { token: '0f0f' })\n
    service.each(service.goneTokens)\n`
  const { status, stdout } = compile(t, { 'line.ts': text })
  assert.equal(status, 0, stdout)
  assert.notEqual(compile(t, { 'line.ts': text.replaceAll('token', 'tokn') }).status, 0)
})

test('the README compiles', needsCompiler, (t) => {
  const text = fs.readFileSync(path.join(root, 'clients/js/README.md'), 'utf8')
  const parts = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code)
  assert.ok(parts.length > 3)
  const declared = `declare const request: any, rows: { token: string; name: string }[], myProgram: any
declare const process: { env: Record<string, string | undefined> }\n`
  const files = Object.fromEntries(parts.map((code, index) => [`part${index}.mts`, preamble(code) + declared + code]))
  const { status, stdout } = compile(t, { ...files, 'node.d.ts': NODE })
  assert.equal(status, 0, stdout)
})

const NODE = `declare module 'node:test' { export function test(name: string, body: (t: any) => Promise<void>): void }
declare module 'node:fs' { export function readFileSync(file: string, encoding: string): string }
`

function preamble(code) {
  if (code.includes("from 'pushprovider'")) return ''
  return `import { Mock, PushService, verifyWebhook } from 'pushprovider'
import { apnsMock } from 'pushprovider/testing'
import { test } from 'node:test'
declare const service: PushService
declare function loadCursor(): string | undefined
declare function storeCursor(cursor: string | undefined): void
`
}

test('an answer has no member that its type lacks', async (t) => {
  // What the service answers today, member by member.
  const service = real(t)
  const { id, notification } = await service.send(push(1), { wait: 10 })
  const samples = { Notification: [notification, await service.notification(id, { history: true })], Status: [await service.status()] }
  const draft = await service.makeCampaign({ name: 'Members', payload: { aps: { alert: 'x' } } })
  samples.Upload = [await service.upload(draft.id, [{ token: '0f0f' }, { token: 'x' }])]
  samples.Campaign = [draft, await service.startCampaign(draft.id)]
  await all(service.watch(draft.id, { every: 0.1 }))
  samples.ReportLine = await all(service.report(draft.id))
  const mock = await Mock.start()
  await mock.send({ token: '0f0f', payload: '{"aps":{"alert":"Hello"}}', topic: 'com.example.app', collapse_id: 'x'.repeat(65) })
  samples.MockPush = [...(await mock.pushes()).items, await mock.push((await mock.latest()).number)]
  samples.Violation = (await mock.violations()).items
  const declared = fs.readFileSync(path.join(__dirname, '../index.d.ts'), 'utf8')
  for (const [type, values] of Object.entries(samples)) {
    assert.ok(values.length, type)
    const body = declared.match(new RegExp(`interface ${type} {\\n(.*?)\\n}`, 's'))[1]
    const known = new Set([...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name]) => name))
    for (const value of values) assert.deepEqual(Object.keys(value).filter((name) => !known.has(name)), [], type)
  }
})

test('the package has what it needs', () => {
  const [{ files }] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: path.join(root, 'clients/js'), encoding: 'utf8' }))
  const names = files.map((file) => file.path)
  for (const name of ['index.js', 'index.d.ts', 'testing.js', 'testing.d.ts', 'README.md']) assert.ok(names.includes(name), name)
  assert.deepEqual(names.filter((name) => name.startsWith('test/')), [])
})
