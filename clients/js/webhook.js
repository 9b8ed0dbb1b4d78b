'use strict'
// Checks the messages that the service posts to your webhook (Standard Webhooks).

const { createHmac, timingSafeEqual } = require('node:crypto')

/**
 * A message that must not be trusted. Answer `status`: 400, so that the service gives it up, or 425, so that it posts it again, if one of the
 * two clocks is wrong.
 */
class WebhookError extends Error {
  name = 'WebhookError'

  constructor(message, status = 400) {
    super(message)
    this.status = status
  }
}

/**
 * Returns the event of a message with a valid signature of one of the secrets, or throws `WebhookError`. `body` is the body as it arrived,
 * byte for byte: a string or bytes. A message whose time is more than `tolerance` seconds away is refused. A secret that can't be used is a
 * TypeError, which says nothing about the message: answer 500, and the service posts it again.
 */
function verifyWebhook(body, headers, secrets, { tolerance = 300, now = Date.now() / 1000 } = {}) {
  const keys = (Array.isArray(secrets) && secrets.length ? secrets : [String(secrets)]).map(keyOf)
  const entries = typeof headers.entries === 'function' ? [...headers.entries()] : Object.entries(headers)
  const given = Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
  const [id, sent, signatures] = ['id', 'timestamp', 'signature'].map((name) => given[`webhook-${name}`])
  if (!id || !/^\d+$/.test(sent ?? '') || !signatures) {
    throw new WebhookError('The message lacks webhook-id, webhook-timestamp or webhook-signature.')
  }
  const age = Math.abs(now - Number(sent))
  if (age > tolerance) throw new WebhookError(`The message is ${Math.floor(age)} s away from the clock of this machine.`, 425)
  const offered = signatures.split(' ').map((each) => Buffer.from(each))
  for (const key of keys) {
    const hmac = createHmac('sha256', key)
    const expected = Buffer.from('v1,' + hmac.update(`${id}.${sent}.`).update(body).digest('base64'))
    if (offered.some((each) => each.length === expected.length && timingSafeEqual(each, expected))) {
      return { ...JSON.parse(Buffer.from(body).toString()), id }
    }
  }
  throw new WebhookError('No signature fits. Compare the secret with the secrets file of the service, and pass the body unchanged.')
}

function keyOf(secret) {
  const text = String(secret).trim().replace(/^whsec_/, '')
  const key = Buffer.from(text, 'base64') // It ignores what isn't base64. Everybody can sign with an empty key.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 || key.length < 24) {
    throw new TypeError('A webhook secret is missing or mistyped. It is whsec_ and 24 to 64 bytes in base64.')
  }
  return key
}

module.exports = { WebhookError, verifyWebhook }
