import PushCommandLine
import PushWire
import Testing

@testable import PushProvider
@testable import pushsend

/// The hops about the network, without a network.
struct NetworkHopsTests {
    private static let address = NetworkAddress(ipv4: (17, 188, 1, 2), port: 443)
    private static let applesRoot = "e793c9b02fd8aa13e21c31228accb08119643b749c898964b1746d46c3d4cbd2"
    /// 2026-11-21.
    private static let now = 1_795_262_400

    static func server(
        _ host: String = APNSHost.sandbox, authorities: String? = nil, proxy: String? = nil
    ) -> ProbedServer {
        ProbedServer(
            host: host, port: 443, isApple: host.hasSuffix("push.apple.com"), authoritiesFile: authorities, proxy: proxy
        )
    }

    static func tls(root: String = "USERTrust RSA Certification Authority", fingerprint: String = applesRoot)
        -> ProbedTLS
    {
        ProbedTLS(
            isVerified: true, version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384", selectedProtocol: "h2",
            chain: [
                ChainCertificate(subject: APNSHost.sandbox, issuer: root, notAfter: now + 86_400),
                ChainCertificate(subject: root, issuer: root, notAfter: now + 86_400, fingerprint: fingerprint),
            ])
    }

    /// A healthy way, as far as `failure` lets it come.
    static func path(_ failure: ProbeFailure? = nil, _ tls: ProbedTLS? = tls()) -> ProbedPath {
        var path = ProbedPath(port: 443, address: address)
        path.failure = failure
        guard failure?.phase != .tcp else { return path }
        path.tcp = .milliseconds(12)
        guard failure?.phase != .tls || failure?.kind == .noHTTP2 else { return path }
        path.tls = tls
        guard failure?.phase != .tls, failure?.phase != .settings else { return path }
        path.settings = HTTP2Settings(maxConcurrentStreams: 1)
        guard failure == nil else { return path }
        path.ping = .milliseconds(30)
        return path
    }

    private static func hops(
        _ paths: [ProbedPath], others: [ProbedPath] = [], _ server: ProbedServer = server()
    ) -> [Hop] {
        let names = ProbedNames(host: server.host, addresses: [address])
        return NetworkHops(server: server, now: now).hops(ProbeReport(names: names, paths: paths, otherPorts: others))
    }

    private static func hop(
        _ name: Hop.Name, _ path: ProbedPath, others: [ProbedPath] = [], _ server: ProbedServer = server()
    ) throws -> Hop {
        try #require(hops([path], others: others, server).first { $0.name == name })
    }

    @Test func `a healthy way to Apple is well in every hop`() {
        let hops = Self.hops([Self.path()], others: [ProbedPath(port: 2197)])
        #expect(hops.map(\.result).allSatisfy { $0 == .ok })
        #expect(hops.map(\.label) == ["name lookup", "TCP 443", "TCP 2197", "TLS", "ALPN", "SETTINGS", "PING"])
        #expect(Diagnosis(server: "x", hops: hops).status == .success)
    }

    @Test func `hops after a failed one are skipped, and name it`() throws {
        let failure = ProbeFailure(.tls, .silent, "x accepted the TCP connection.")
        let hops = Self.hops([Self.path(failure)])
        let after = hops.drop { $0.name != .tls }.dropFirst()
        #expect(after.map(\.result) == [.skipped, .skipped, .skipped])
        #expect(after.allSatisfy { $0.fact == "TLS failed." })
    }

    @Test func `a name without an address skips everything else`() {
        let names = ProbedNames(host: "x", failure: ProbeFailure(.dns, .other, "the name \"x\" can't be resolved."))
        let hops = NetworkHops(server: Self.server(), now: Self.now).hops(ProbeReport(names: names))
        #expect(hops.map(\.result) == [.failed, .skipped, .skipped, .skipped, .skipped, .skipped])
        #expect(hops.first?.fact == "The name \"x\" can't be resolved.")
        #expect(hops.first?.status == .cannotConnect)
    }

    @Test func `a closed port 443 with an open 2197 says which flag helps`() throws {
        let closed = Self.path(ProbeFailure(.tcp, .silent, "did not answer"))
        let open = ProbedPath(port: 2197)
        #expect(try Self.hop(.tcp, closed, others: [open]).remedy == "Port 2197 works from here: use --port 2197.")
        var shut = open
        shut.failure = ProbeFailure(.tcp, .silent, "did not answer")
        #expect(try Self.hop(.tcp, closed, others: [shut]).remedy?.contains("firewall") == true)
        // The other port is an alternative.
        #expect(Self.hops([Self.path()], others: [shut]).map(\.status).max() == .success)
    }

    @Test func `a chain to Apple that ends in another root names the proxy that opens TLS`() throws {
        let opened = Self.path(nil, Self.tls(root: "Example Corp Proxy CA", fingerprint: "00"))
        let hop = try Self.hop(.tls, opened)
        #expect(hop.result == .warning)
        #expect(hop.fact.contains("issued by Example Corp Proxy CA"))
        #expect(hop.status == .rejected)
        // On a server that is not Apple's, any trusted root is right.
        #expect(try Self.hop(.tls, opened, Self.server("push.example.com")).result == .ok)
    }

    @Test(arguments: [
        (ProbeFailure.Kind.untrusted, "isn't trusted here", "captive portal"),
        (.wrongName, "is for portal.example, not for", "captive portal"),
        (.notInForce, "expired on 2026-11-20", "clock of this machine"),
        (.notTLS, "details", "captive portal"), (.silent, "details", "--port 2197"), (.other, "details", "instead of"),
    ])
    func `a failed handshake with Apple names causes and a remedy`(
        kind: ProbeFailure.Kind, fact: String, remedy: String
    ) throws {
        var path = Self.path(ProbeFailure(.tls, kind, "details."))
        path.tls = ProbedTLS(
            isVerified: false, version: "TLSv1.3",
            chain: [.init(subject: "portal.example", issuer: "Portal CA", notAfter: Self.now - 86_400)])
        let hop = try Self.hop(.tls, path)
        #expect(hop.result == .failed && hop.status == .cannotConnect)
        #expect(hop.fact.contains(fact), "\(hop)")
        #expect(hop.remedy?.contains(remedy) == true, "\(hop)")
    }

    @Test func `an old trust store is distinguished from a stranger in Apple's place`() throws {
        var path = Self.path(ProbeFailure(.tls, .untrusted, "details."))
        path.tls = Self.tls()
        path.tls?.isVerified = false
        #expect(try Self.hop(.tls, path).remedy?.contains("ca-certificates") == true)
        let own = try Self.hop(.tls, path, Self.server(authorities: "ca.pem"))
        #expect(own.remedy?.hasPrefix("ca.pem doesn't contain") == true)
        let other = try Self.hop(.tls, path, Self.server("mock.example"))
        #expect(other.remedy?.contains("--mock") == true)
    }

    @Test func `without HTTP/2 the hop is ALPN, also if no certificate was seen`() throws {
        let failure = ProbeFailure(.tls, .noHTTP2, "no ALPN.")
        let seen = Self.hops([Self.path(failure)])
        #expect(seen.first { $0.name == .tls }?.result == .ok)
        #expect(seen.first { $0.name == .alpn }?.result == .failed)
        let unseen = Self.hops([Self.path(failure, nil)])
        #expect(unseen.first { $0.name == .tls }?.result == .notKnown)
        #expect(unseen.first { $0.name == .settings }?.result == .skipped)
    }

    @Test func `a PING without an answer is a warning, a GOAWAY at once a failure`() throws {
        let silent = try Self.hop(.ping, Self.path(ProbeFailure(.wait, .silent, "the server didn't answer a PING.")))
        #expect(silent.result == .warning && silent.status == .rejected)
        var gone = Self.path(ProbeFailure(.wait, .closed, "the server ended the connection: GOAWAY."))
        #expect(try Self.hop(.ping, gone).result == .failed)
        gone.goAway = ProbedGoAway(description: "GOAWAY", reason: .badCertificateEnvironment)
        #expect(try Self.hop(.ping, gone).result == .skipped)
        #expect(NetworkHops.refusesCertificate(gone))
    }

    @Test func `of several addresses, one that works makes the others warnings`() {
        let failure = ProbeFailure(.tcp, .other, "refused.")
        let one = Self.hops([Self.path(), Self.path(failure)])
        #expect(one.filter { $0.name == .tcp }.map(\.result) == [.ok, .warning])
        #expect(one.first { $0.name == .tcp }?.address == "17.188.1.2")
        #expect(Diagnosis(server: "x", hops: one).status == .rejected)
        #expect(!one.contains { $0.result == .failed })
        let noRoute = Self.hops([Self.path(), Self.path(ProbeFailure(.tcp, .noRoute, "no route."))])
        #expect(Diagnosis(server: "x", hops: noRoute).status == .success)
        let none = Self.hops([Self.path(failure), Self.path(failure)])
        #expect(Diagnosis(server: "x", hops: none).status == .cannotConnect)
        #expect(none.first { $0.result == .failed }?.name == .tcp)
        let other = Self.hops([Self.path(), Self.path()], others: [ProbedPath(port: 2197)])
        #expect(other.last?.port == 2197 && other.count { $0.port == 2197 } == 1)
    }

    @Test func `a proxy has a hop of its own, after a TCP connection to it`() {
        var path = ProbedPath(port: 443)
        path.failure = ProbeFailure(.proxy, .other, "the proxy p:1 requires a user and a password (407).")
        let hops = Self.hops([path], Self.server(proxy: "p:1"))
        #expect(hops.map(\.name) == [.name, .tcp, .proxy, .tls, .alpn, .settings, .ping])
        #expect(hops.map(\.result).prefix(3) == [.ok, .ok, .failed])
        #expect(hops[1].fact == "Connected to the proxy p:1.")
        #expect(hops[3].fact == "proxy failed.")
    }

    @Test(arguments: [
        (Duration.microseconds(40), "0.0 ms"), (.microseconds(1250), "1.2 ms"), (.milliseconds(12), "12 ms"),
        (.milliseconds(1580), "1.5 s"),
    ])
    func `durations are short`(time: Duration, text: String) {
        #expect(NetworkHops.text(time) == text)
    }
}
