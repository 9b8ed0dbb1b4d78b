'use strict'

const { Mock } = require('./mock.js')

let started

/**
 * A mock of APNs as after its start, one for all tests of this process. Its variables, such as APNS_URL and APNS_CA, are set in
 * process.env. With the context of node:test, they are set back after the test.
 */
async function apnsMock(t, options) {
  started ??= Mock.start(options)
  const mock = await started
  await mock.reset()
  const before = Object.keys(mock.environment).map((name) => [name, process.env[name]])
  Object.assign(process.env, mock.environment)
  t?.after?.(() => {
    for (const [name, value] of before) value === undefined ? delete process.env[name] : (process.env[name] = value)
  })
  return mock
}

module.exports = { apnsMock }
