'use strict'

const { PushService } = require('pushprovider')
const { setTimeout: sleep } = require('node:timers/promises')

/** A client of the real service. After the test, it waits for pushes on their way, which would arrive in the next one. */
exports.real = (t) => {
  const service = new PushService(process.env.PUSHSERVE_URL, process.env.PUSHSERVE_API_KEY)
  t.after(async () => {
    const other = new PushService(process.env.PUSHSERVE_URL, process.env.PUSHSERVE_API_KEY)
    for (;;) {
      const { waiting, leased, started } = (await other.status()).apps[0].counts
      if (!(waiting || leased || started)) return
      await sleep(20)
    }
  })
  return service
}
