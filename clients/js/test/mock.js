'use strict'

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { test } = require('node:test')
const { Mock, PushError } = require('pushprovider')
const { apnsMock } = require('pushprovider/testing')

const hello = { token: '0f0f', payload: '{"aps":{"alert":"Hallo"}}', topic: 'com.example.app', push_type: 'alert' }

test('a failure shows the nearest pushes', async (t) => {
  const mock = await apnsMock(t)
  await mock.send(hello)
  await assert.rejects(mock.wait('body:Hello', { within: 0.1 }), {
    name: 'AssertionError', message: /matched "body:Hello".*\n.*near: .*\n +expected body:Hello, found Hallo/,
  })
  await assert.rejects(mock.assertNothingPushed('body:Hallo'), { name: 'AssertionError', message: /expected none/ })
})

test('a broken rule is shown', async (t) => {
  const mock = await apnsMock(t)
  // What APNs does with an expiration in the past is only a guess.
  await mock.send({ ...hello, expiration: 1 })
  assert.deepEqual((await mock.violations()).items.map((each) => each.confidence), ['?'])
  await mock.assertNoViolations()
  await mock.send({ ...hello, collapse_id: 'x'.repeat(65) })
  await assert.rejects(mock.assertNoViolations(), { name: 'AssertionError', message: /rules of APNs/ })
})

test('a wrong search is an error', async (t) => {
  const mock = await apnsMock(t)
  await assert.rejects(mock.wait('titel:Hello'), (error) => error instanceof PushError && error.status === 400 && Boolean(error.remedy))
})

test('the helper begins anew and sets the variables', async (t) => {
  const mock = await apnsMock(t)
  assert.equal(await mock.count(), 0)
  assert.ok(process.env.APNS_URL.endsWith(String((await mock.setup()).port)))
})

test('a mock is started, and ends with its process', async () => {
  const script = "require('pushprovider').Mock.start().then((mock) => { console.log(mock.url); setTimeout(() => {}, 60000) })"
  const { MOCK_URL, ...env } = process.env
  const child = spawn(process.execPath, ['-e', script], { env, cwd: __dirname, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const mock = new Mock(String(line).trim())
  assert.equal(await mock.count(), 0)
  child.kill('SIGKILL')
  for (;;) {
    const error = await mock.count().catch((error) => error)
    if (error instanceof PushError) return assert.equal(error.code, 'no_answer')
  }
})

test('a process that started a mock ends by itself', async () => {
  const script = "require('pushprovider/testing').apnsMock().then((mock) => mock.count()).then(console.log)"
  const { MOCK_URL, ...env } = process.env
  const child = spawn(process.execPath, ['-e', script], { env, cwd: __dirname, stdio: ['ignore', 'pipe', 'inherit'] })
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('a missing program is explained', async () => {
  await assert.rejects(Mock.start({ program: '/nowhere/pushsend', options: ['--no-magic'] }), /PUSHSEND_BINARY/)
})

test('close ends a mock', async () => {
  const mock = await Mock.start({ options: ['--unknown-tokens', 'reject'] })
  assert.equal((await mock.send(hello)).reason, 'BadDeviceToken')
  await mock.close()
  await assert.rejects(mock.count(), { code: 'no_answer' })
})
