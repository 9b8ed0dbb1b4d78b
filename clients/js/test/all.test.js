'use strict'
// One process, so one after the other: they share a service.

require('./contract.js')
require('./service.js')
require('./mock.js')
