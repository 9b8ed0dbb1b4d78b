'use strict'

const { PushError } = require('./core.js')
const { Mock } = require('./mock.js')
const { PushService, Results } = require('./service.js')
const { WebhookError, verifyWebhook } = require('./webhook.js')

module.exports = { Mock, PushError, PushService, Results, WebhookError, verifyWebhook }
