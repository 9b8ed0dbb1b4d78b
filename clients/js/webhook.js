'use strict'
// Checks the messages that the service posts to your webhook (Standard Webhooks).

const { createHmac, timingSafeEqual } = require('node:crypto')

/** A message that must not be trusted. Answer 400. */
class WebhookError extends Error {
  name = 'WebhookError'
}

/**
 * Returns the event of a message with a valid signature of one of the secrets, or throws `WebhookError`. `body` is the body as it arrived,
 * byte for byte: a string or a Buffer. A message whose time is more than `tolerance` seconds away is refused.
 */
function verifyWebhook(body, headers, secrets, { tolerance = 300, now = Date.now() / 1000 } = {}) {
  const entries = typeof headers.entries === 'function' ? [...headers.entries()] : Object.entries(headers)
  const given = Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
  const [id, sent, signatures] = ['id', 'timestamp', 'signature'].map((name) => given[`webhook-${name}`])
  if (!id || !/^\d+$/.test(sent ?? '') || !signatures) {
    throw new WebhookError('The message lacks webhook-id, webhook-timestamp or webhook-signature.')
  }
  const age = Math.abs(now - Number(sent))
  if (age > tolerance) throw new WebhookError(`The message is ${Math.floor(age)} s away from the clock of this machine.`)
  const offered = signatures.split(' ').map((each) => Buffer.from(each))
  for (const secret of [secrets].flat()) {
    const hmac = createHmac('sha256', Buffer.from(secret.trim().replace(/^whsec_/, ''), 'base64'))
    const expected = Buffer.from('v1,' + hmac.update(`${id}.${sent}.`).update(body).digest('base64'))
    if (offered.some((each) => each.length === expected.length && timingSafeEqual(each, expected))) {
      return { ...JSON.parse(body.toString()), id }
    }
  }
  throw new WebhookError('No signature fits. Compare the secret with the secrets file of the service, and pass the body unchanged.')
}

module.exports = { WebhookError, verifyWebhook }
