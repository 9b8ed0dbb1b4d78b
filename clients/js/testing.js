'use strict'

const { isDeepStrictEqual } = require('node:util')
const { Mock } = require('./mock.js')

let started, chosen

/**
 * A mock of APNs as after its start, one for all tests of this process. Its variables, such as APNS_URL and APNS_CA, are set in
 * process.env. With the context of node:test, they are set back after the test. Other options need a mock of their own: close the first one.
 */
async function apnsMock(t, options) {
  if (!started) {
    chosen = options
    started = Mock.start(options)
    started.catch(() => (started = undefined))
  }
  const current = started
  const mock = await current
  if (mock.hasEnded) {
    if (started === current) started = undefined
    if (process.env.MOCK_URL === mock.url) delete process.env.MOCK_URL
    return apnsMock(t, options)
  }
  if (options && !isDeepStrictEqual(options, chosen)) throw new TypeError('The mock runs with other options. Close it first.')
  await mock.reset()
  const before = Object.keys(mock.environment).map((name) => [name, process.env[name]])
  Object.assign(process.env, mock.environment)
  t?.after?.(() => {
    for (const [name, value] of before) value === undefined ? delete process.env[name] : (process.env[name] = value)
  })
  return mock
}

module.exports = { apnsMock }
