'use strict'

const assert = require('node:assert/strict')
const { execFile, spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { test } = require('node:test')
const { promisify } = require('node:util')
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

test('each namespace has its own variables', async (t) => {
  const mock = await apnsMock(t)
  for (let count = 0; count < 2; count++) {
    const part = await mock.inNamespace('of-js')
    const { port } = await part.setup()
    assert.deepEqual([part.environment.APNS_PORT, part.environment.APNS_URL.split(':').at(-1)], [String(port), String(port)])
    assert.notEqual(port, (await mock.setup()).port)
    assert.ok((await part.request('GET', '/v1/phones')).items.length)
    await part.close()
  }
})

test('what is not JSON is text or bytes', async (t) => {
  const mock = await apnsMock(t)
  assert.match(await mock.request('GET', '/v1/ca.pem'), /^-----BEGIN/)
  assert.equal(typeof (await mock.request('GET', '/metrics')), 'string')
  assert.ok(Buffer.isBuffer(await mock.request('GET', '/v1/client.p12')))
})

test('a wait of 0 seconds looks once', async (t) => {
  const mock = await apnsMock(t)
  await assert.rejects(mock.wait('body:Hello', { within: 0 }), { name: 'AssertionError' })
  assert.deepEqual(await mock.assertNothingPushed('body:Hello', { within: 0 }), [])
})

test('the helper starts a new mock after a failure and after close', async () => {
  const script = `
    const { apnsMock } = require('pushprovider/testing')
    async function main() {
      await apnsMock(undefined, { program: '/nowhere/pushsend' }).catch(() => {})
      const mock = await apnsMock()
      if (!mock.environment.APNS_URL.startsWith('https:') || 'APNS_KEY' in mock.environment) throw new Error('wrong variables')
      if (!require('node:fs').existsSync(mock.environment.SSL_CERT_FILE)) throw new Error('no CA')
      const message = await apnsMock(undefined, { options: ['--no-magic'] }).catch((error) => error.message)
      if (!/other options/.test(message)) throw new Error(message)
      await mock.close()
      await mock.close()
      await (await apnsMock()).close()
      const other = await apnsMock(undefined, { options: ['--unknown-tokens', 'reject'] })
      console.log((await other.send(${JSON.stringify(hello)})).reason)
    }
    main()`
  const { MOCK_URL, ...env } = process.env
  env.APNS_KEY = '-----BEGIN\nAPNS_URL=x\nAAAA'
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env, cwd: __dirname })
  assert.equal(stdout, 'BadDeviceToken\n')
})

test('a mock that does not start is not waited for', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pushprovider-mock-'))
  const program = path.join(folder, 'pushsend')
  fs.writeFileSync(program, '#!/bin/sh\nexec cat\n', { mode: 0o700 })
  await assert.rejects(Mock.start({ program, timeout: 0.1, options: ['--no-magic'] }), /didn't start/)
  fs.rmSync(folder, { recursive: true })
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
