import Logging
import NIOConcurrencyHelpers
import PushCommandLine
import PushDelivery
import PushPlatform
import PushProvider
import PushQueue
import PushQueuePostgres
import PushYAML
import TestSupport
import Testing

@testable import PushService
@testable import pushserve

@Suite struct ServiceReloadTests {
    @Test func `only what is read at the start needs a restart`() throws {
        let old = ServiceConfiguration()
        var new = old
        new.apps = [
            ConfiguredApp(
                settings: AppSettings(
                    name: "shop", environment: .sandbox, credentials: .identity(file: "a", passphraseFile: nil)),
                location: .variable("PUSHSERVE_APP"))
        ]
        new.webhooks.timeout = .seconds(1)
        #expect(ServiceReload.needingRestart(old, new).isEmpty)
        new.limits.body = 1
        new.listen.port = 1
        new.publicURL = "https://push.example.com"
        new.page.showsPayloads = false
        new.metrics = new.listen
        new.database = .file("other")
        new.inboxes = [.init(address: try PostgresAddress("postgres://h/d"), contract: try InboxContract())]
        new.keep.jobs = .seconds(1)
        new.log.level = .debug
        new.drain = .seconds(1)
        new.tls = .init(certificate: "a", key: "b")
        let keys = ServiceReload.needingRestart(old, new)
        #expect(keys.count == 11, "\(keys)")
        let page = Repository.text("docs/service.md")
        let sentence = try #require(page.firstMatch(of: /Changes to ([^.]+) take effect at the next start[^.]*/)).output
            .0
        #expect(Set(sentence.matches(of: /`(\w+)`/).map { String($0.output.1) }) == Set(keys))
    }

    @Test func `other files for TLS need no restart`() {
        var (old, new) = (ServiceConfiguration(), ServiceConfiguration())
        old.tls = .init(certificate: "a", key: "b")
        new.tls = .init(certificate: "c", key: "d")
        #expect(ServiceReload.needingRestart(old, new).isEmpty)
        new.tls = nil
        #expect(ServiceReload.needingRestart(old, new) == ["tls"])
    }

    // MARK: Replaced files

    private static let secret = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
    private static let other = "whsec_" + Data(repeating: 8, count: 32).base64EncodedString()

    /// A reload of a service with a webhook and HTTPS that does not run, while the body runs.
    private func reloading(
        _ ground: Ground, _ body: (ServiceReload, CapturedLog) async throws -> Void
    ) async throws {
        try await reloading(ground) { reload, log, _, _ in try await body(reload, log) }
    }

    private func reloading(
        _ ground: Ground,
        _ body: (ServiceReload, CapturedLog, pushserve.ServiceParts, any QueueBackend) async throws -> Void
    ) async throws {
        try ground.write(Self.secret, to: "hook.secret")
        try ground.copyCertificate("server", to: "tls")
        let path = try ground.configure("    webhook: {url: \"https://example.com/hook\", secrets_file: hook.secret}")
        try ground.write(
            try String(contentsOfFile: path, encoding: .utf8) + "\ntls: {certificate: tls.pem, key: tls.key}\n",
            to: "pushserve.yaml")
        let configuration = try ServiceConfiguration.load(option: path, Variables([:]))
        let (queue, log) = (try await configuration.database.open(), CapturedLog())
        let parts = pushserve.ServiceParts(configuration, try configuration.webhookSettings(), queue) { _ in log.logger
        }
        let reload = ServiceReload(configuration, parts, log: log.logger) { () throws(CommandFailure) in
            try ServiceConfiguration.load(option: path, Variables([:]))
        }
        try await body(reload, log, parts, queue)
        await queue.close()
    }

    @Test func `an app that has left is forgotten when its last job has ended`() async throws {
        try await reloading(try Ground()) { reload, _, parts, queue in
            let names = { parts.http.api.parts.apps.names }
            _ = try await queue.enqueue(
                EnqueueRequest([NewQueueJob(to: .device("0f0f"), payload: Array("{}".utf8))], app: "old"))
            await reload.check()
            #expect(names() == ["old", "shop"])
            _ = try await queue.purge(token: "0f0f", app: nil)
            await reload.check()
            #expect(names() == ["shop"])
        }
    }

    @Test func `a replaced file of secrets is noticed, and a broken one is not used`() async throws {
        let ground = try Ground()
        try await reloading(ground) { reload, log in
            await reload.check()
            #expect(log.lines.isEmpty)
            try ground.write("\(Self.secret)\n\(Self.other)\n", to: "hook.secret")
            await reload.check()
            #expect(log.lines.count == 1)
            #expect(log.lines.last?.contains("New secrets of webhooks are used.") == true)
            try ground.write("not a secret", to: "hook.secret")
            await reload.check()
            #expect(log.lines.last?.contains("The old secrets stay in use.") == true)
            #expect(log.lines.last?.contains("pushserve.yaml:8:") == true)
            #expect(!log.lines.joined().contains("not a secret"))
            await reload.check()
            #expect(log.lines.count == 2)
        }
    }

    @Test func `a changed topic is a warning that names both, in the log and in the check`() async throws {
        let ground = try Ground()
        try await reloading(ground) { reload, log in
            await reload.run()
            #expect(!log.lines.contains { $0.contains("has changed from") })
            let path = ground.path("pushserve.yaml")
            let text = try String(contentsOfFile: path, encoding: .utf8)
            try ground.write(
                text.replacing("topic: com.example.shop", with: "topic: com.example.new"), to: "pushserve.yaml")
            let changed = "The topic has changed from com.example.shop to com.example.new."
            // Before the reload, the check says what it will change; after it, what it has changed.
            for _ in 1...2 {
                let configuration = try ServiceConfiguration.load(option: path, Variables([:]))
                var findings: [Finding] = []
                _ = await CheckRun(configuration: configuration, connectTimeout: nil).run { findings.append($0) }
                let warnings = findings.filter { $0.result == .warning && $0.app == "shop" }
                #expect(warnings.map(\.check) == ["configuration"], "\(findings)")
                #expect(warnings.first?.fact.hasPrefix(changed) == true)
                await reload.run()
            }
            #expect(log.lines.count { $0.hasPrefix("warning") && $0.contains(changed) } == 1)
        }
    }

    @Test func `a replaced certificate is noticed, and a broken one is not used`() async throws {
        let ground = try Ground()
        try await reloading(ground) { reload, log in
            await reload.check()
            #expect(log.lines.isEmpty)
            try ground.write("no key", to: "tls.key")
            await reload.check()
            #expect(log.lines.last?.contains("The old certificate stays in use.") == true)
            try ground.copyCertificate("server", to: "tls")
            await reload.check()
            #expect(log.lines.last?.contains("A new certificate for HTTPS is used") == true)
            #expect(log.lines.count == 2)
        }
    }
}

extension Ground {
    /// Copies a certificate and its key from the set that this process has made.
    fileprivate func copyCertificate(_ name: String, to copy: String) throws {
        let set = try CertificateSet.shared()
        for ending in ["pem", "key"] { try write(try set.read("\(name).\(ending)"), to: "\(copy).\(ending)") }
    }
}
