import Logging
import NIOConcurrencyHelpers
import PushDelivery
import PushProvider
import Testing

@testable import pushserve

@Suite struct ServiceReloadTests {
    @Test func `only what is read at the start needs a restart`() {
        let old = ServiceConfiguration()
        var new = old
        new.apps = [
            ConfiguredApp(
                settings: AppSettings(
                    name: "shop", environment: .sandbox, credentials: .identity(file: "a", passphraseFile: nil)),
                place: .variable("PUSHSERVE_APP"))
        ]
        new.webhooks.timeout = .seconds(1)
        #expect(ServiceReload.needingRestart(old, new).isEmpty)
        new.limits.body = 1
        new.listen.port = 1
        new.metrics = new.listen
        new.database = "other"
        new.keep.jobs = .seconds(1)
        new.log.level = .debug
        new.drain = .seconds(1)
        new.tls = .init(certificate: "a", key: "b")
        #expect(
            ServiceReload.needingRestart(old, new) == [
                "listen", "tls", "metrics", "database", "limits", "keep", "log", "drain",
            ])
    }
}
