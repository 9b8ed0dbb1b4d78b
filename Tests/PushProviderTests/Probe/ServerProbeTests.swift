import PushWire
import TestSupport
import Testing

@testable import PushProvider

/// A probe against servers that a test orders.
@Suite(.timeLimit(.minutes(10))) struct ServerProbeTests {
    private static func probe(
        _ server: ScriptedServer, _ timeout: Duration = .seconds(300), proxy: PushProxy? = nil, trusts: Bool = true,
        triesAll: Bool = false
    ) async throws -> ProbeReport {
        let trust: PushEnvironment.Trust = trusts ? .authorities(pem: server.identity.authorityPEM) : .apple
        let environment = PushEnvironment(host: "localhost", port: server.port, trust: trust)
        return try await ServerProbe(
            environment, credentials: nil, proxy: proxy, timeout: timeout, triesAll: triesAll
        ).run()
    }

    @Test func `a healthy server answers up to the PING, and gets no request`() async throws {
        let server = try await ScriptedServer.start()
        let report = try await Self.probe(server)
        let path = try #require(report.paths.first)
        #expect(report.names.addresses.count == 2 && report.otherPorts.isEmpty)
        #expect(path.failure == nil)
        #expect(path.address?.port == server.port)
        #expect(path.tcp != nil && path.proxy == nil)
        #expect(path.tls?.isVerified == true && path.tls?.version == "TLSv1.3")
        #expect(path.tls?.selectedProtocol == "h2" && path.tls?.cipher?.isEmpty == false)
        #expect(path.tls?.chain.last?.fingerprint.count == 64)
        #expect(path.settings?.maxConcurrentStreams == 1000)
        #expect(path.ping != nil)
        let record = try await server.connection(1).record
        #expect(record.value.requests.isEmpty)
    }

    @Test func `a certificate of an unknown authority is kept, and the handshake fails`() async throws {
        let server = try await ScriptedServer.start()
        let path = try #require(try await Self.probe(server, trusts: false).paths.first)
        #expect(path.failure?.kind == .untrusted)
        #expect(path.tls?.isVerified == false)
        #expect(path.tls?.chain.isEmpty == false)
        #expect(path.settings == nil && path.ping == nil)
    }

    @Test func `each way to be no APNs has its kind`() async throws {
        for (opening, kind) in [
            (ServerScript.Opening.speaksPlainly, ProbeFailure.Kind.notTLS), (.closes, .closed),
        ] {
            let server = try await ScriptedServer.start(ServerScript(opening: { _ in opening }))
            let path = try #require(try await Self.probe(server).paths.first)
            #expect(path.failure?.phase == .tls)
            #expect(path.failure?.kind == kind, "\(path)")
        }
        let http1 = try await ScriptedServer.start(ServerScript(speaksHTTP2: false, acceptsOthers: true))
        let path = try #require(try await Self.probe(http1).paths.first)
        #expect(path.failure?.kind == .noHTTP2)
        #expect(path.tls?.isVerified == true && path.tls?.selectedProtocol == nil)
    }

    @Test func `no hop waits longer than its limit`() async throws {
        for (opening, phase) in [
            (ServerScript.Opening.neverSpeaksTLS, PushOutcome.Phase.tls), (.withholdsHTTP2, .settings),
        ] {
            let server = try await ScriptedServer.start(ServerScript(opening: { _ in opening }))
            var path: ProbedPath?
            // The limit must suffice for the hops before. If it does not, the machine gets a longer one.
            for limit in [3, 12, 60] where path?.failure?.phase != phase {
                path = try await Self.probe(server, .seconds(limit)).paths.first
            }
            #expect(path?.failure?.kind == .silent)
            #expect(path?.failure?.phase == phase, "\(path as Any)")
        }
        let environment = PushEnvironment(host: "push.example")
        let probe = try ServerProbe(
            environment, credentials: nil, proxy: nil, timeout: .milliseconds(50), triesAll: false,
            resolver: HeldResolver())
        let names = await probe.run().names
        #expect(names.failure?.phase == .dns)
        #expect(names.failure?.description.contains("wasn't resolved within") == true)
    }

    @Test func `each address is tried alone, in the resolver's order`() async throws {
        let server = try await ScriptedServer.start()
        let report = try await Self.probe(server, triesAll: true)
        #expect(report.paths.map(\.address) == report.names.addresses)
        #expect(report.paths.first?.ping != nil)
        #expect(report.paths.last?.failure?.phase == .tcp)
    }

    @Test func `a proxy that refuses is the hop that failed, one that opens its tunnel is measured`() async throws {
        let server = try await ScriptedServer.start()
        let closed = try await TestProxy.start { _ in .says("HTTP/1.1 403 Forbidden\r\n\r\n") }
        let refused = try await Self.probe(server, proxy: try PushProxy(host: "localhost", port: closed.port))
        #expect(refused.paths.first?.failure?.phase == .proxy)
        let open = try await TestProxy.start()
        let through = try await Self.probe(server, proxy: try PushProxy(host: "localhost", port: open.port))
        #expect(through.paths.first?.proxy != nil)
        #expect(through.paths.first?.ping != nil)
    }

    @Test func `the libraries and the trust store of this process are reported`() {
        let libraries = ProbedLibraries.here
        #expect(libraries.openSSL.hasPrefix("OpenSSL 3"))
        #expect(libraries.nghttp2.split(separator: ".").count == 3)
        let store = TrustStore.read()
        #expect(!store.file.isEmpty || !store.folder.isEmpty)
        #expect(store.count > 0 || !store.holdsApplesRoot)
    }
}
