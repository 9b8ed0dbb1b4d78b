import Foundation
import MockAPNs
import TestSupport
import Testing

@testable import PushProvider

/// Through a proxy, over real sockets. What a bad one does to notifications is in the list of faults, rows p1 to p4.
@Suite(.timeLimit(.minutes(10))) struct ProxyTests {
    @Test func `the proxy gets the server's name and no name is looked up here, and TLS goes from end to end`()
        async throws
    {
        let server = try await ScriptedServer.start(.answering(200))
        let proxy = try await TestProxy.start()
        let resolver = HeldResolver()
        resolver.answer(.success([NetworkAddress(ipv4: (127, 0, 0, 1), port: proxy.port)]))
        // A name of the server's certificate that nobody here could resolve to it.
        let environment = PushEnvironment(
            host: "api.sandbox.push.apple.com", port: server.port,
            trust: .authorities(pem: server.identity.authorityPEM))
        let client = try PushClient.sample(environment, resolver: resolver) {
            $0.proxy = try PushProxy(host: "proxy.example", port: 3128)
        }
        #expect(try await client.outcome(of: .sample()).summary == "accepted")
        #expect(resolver.asked == ["proxy.example"])
        let target = "api.sandbox.push.apple.com:\(server.port)"
        #expect(proxy.heads.value.count == 1)
        #expect(proxy.heads.value[0].hasPrefix("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"))
        let request = try await server.connection(1).request(1)
        #expect(request.fields[":authority"] == target)
    }

    @Test func `a proxy that answers in many pieces, after others, is understood`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let answer = "HTTP/1.1 103 Early\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\nVia: 1.1 x\r\n\r\n"
        let proxy = try await TestProxy.start { _ in .tunnelsAfter(answer.map(String.init)) }
        let client = try PushClient.sample(to: server) { $0.proxy = try proxy.named() }
        #expect(try await client.outcome(of: .sample()).summary == "accepted")
    }

    @Test func `what comes right behind the proxy's answer belongs to TLS`() async throws {
        let proxy = try await TestProxy.start { _ in .says("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 400 Bad Request\r\n\r\n") }
        let client = try PushClient.sample(.local(port: 443)) { $0.proxy = try proxy.named() }
        let outcome = try await client.outcome(of: .sample())
        #expect(outcome.summary == "not sent: no_connection, tls")
        #expect(outcome.sentence.contains("127.0.0.1:443 through the proxy 127.0.0.1:\(proxy.port): "))
        #expect(outcome.sentence.contains("doesn't speak TLS"))
    }

    @Test func `a certificate of the proxy's own is not the server's`() async throws {
        let stranger = try await ScriptedServer.start(identity: ServerIdentity(names: ["127.0.0.1"]))
        let proxy = try await TestProxy.start()
        let client = try PushClient.sample(.local(port: stranger.port)) { $0.proxy = try proxy.named() }
        let outcome = try await client.outcome(of: .sample())
        #expect(outcome.summary == "not sent: no_connection, tls")
        #expect(outcome.sentence.contains("trust the authority that issued it"))
        #expect(try await stranger.connection(1).record.wait(for: "the end") { $0.isClosed }.plaintextBytes == 0)
    }

    @Test func `a proxy that does not listen is named`() async throws {
        let client = try PushClient.sample(.sandbox) { $0.proxy = try PushProxy(host: "127.0.0.1", port: 1) }
        let outcome = try await client.outcome(of: .sample())
        #expect(outcome.summary == "not sent: no_connection, tcp")
        #expect(outcome.sentence.hasPrefix("the proxy 127.0.0.1:1 refused the connection"))
    }

    @Test func `a proxy whose name does not resolve is named`() async throws {
        let client = try PushClient.sample(.sandbox) { $0.proxy = try PushProxy(host: "nothing.invalid") }
        let outcome = try await client.outcome(of: .sample())
        #expect(outcome.summary == "not sent: no_connection, dns")
        #expect(outcome.sentence.hasPrefix("the name \"nothing.invalid\" can't be resolved"))
    }

    @Test func `a proxy with two addresses is reached on the one that answers`() async throws {
        let server = try await ScriptedServer.start(.answering(200))
        let proxy = try await TestProxy.start()
        let resolver = HeldResolver()
        resolver.answer(
            .success([1, proxy.port].map { NetworkAddress(ipv4: (127, 0, 0, 1), port: $0) }))
        let environment = PushEnvironment(
            host: "127.0.0.1", port: server.port, trust: .authorities(pem: server.identity.authorityPEM))
        let client = try PushClient.sample(environment, resolver: resolver) {
            $0.proxy = try PushProxy(host: "proxy.example", port: 3128)
        }
        #expect(try await client.outcome(of: .sample()).summary == "accepted")
    }

    @Test func `a deadline that passes while the proxy is silent says so`() async throws {
        let proxy = try await TestProxy.start { _ in .silent }
        let time = StoppableTime()
        let client = try PushClient.sample(.sandbox, time: time) { $0.proxy = try proxy.named() }
        let sending = try await time.whileStopped {
            let sending = try await client.start(.sample(), timeout: .milliseconds(500))
            try await proxy.heads.wait(for: "the question") { $0.count == 1 }
            return sending
        }
        #expect(try await sending.summary == "not sent: deadline, proxy")
        await client.shutdown(drainTime: .zero)
    }

    @Test func `a proxy with an unsupported scheme is reported`() async throws {
        let answer = "HTTP/1.1 407 No\r\nProxy-Authenticate: NTLM\r\nProxy-Authenticate: Negotiate\r\n\r\n"
        let proxy = try await TestProxy.start { _ in .says(answer) }
        let client = try PushClient.sample(.sandbox) { $0.proxy = try proxy.named(for: "somebody:hunter2") }
        let outcome = try await client.outcome(of: .sample())
        #expect(outcome.summary == "not sent: no_connection, proxy")
        #expect(
            outcome.sentence.contains(
                "requires authentication with NTLM or Negotiate (407), but only Basic is supported"))
    }

    @Test(arguments: [
        TestProxy.Manner.tunnels, .tunnelsFor("other:one"), .says("HTTP/1.1 502 Bad\r\n\r\n"), .says("what?\r\n"),
        .says("", closes: true),
    ])
    func `no log and no error contains the proxy's password`(manner: TestProxy.Manner) async throws {
        let log = CapturedLog()
        let server = try await ScriptedServer.start(.answering(200))
        let proxy = try await TestProxy.start { _ in manner }
        let client = try PushClient.sample(to: server, logger: log.logger) {
            $0.proxy = try proxy.named(for: "somebody:hunter2")
        }
        let outcome = try await client.outcome(of: .sample())
        await client.shutdown(drainTime: .zero)
        let proof = Data("somebody:hunter2".utf8).base64EncodedString()
        #expect(proxy.heads.value.allSatisfy { $0.contains("Proxy-Authorization: Basic \(proof)\r\n") })
        var shown = ""
        dump(client.configuration, to: &shown)
        for text in log.lines + ["\(outcome)", outcome.sentence, shown] {
            for secret in ["hunter2", "somebody", proof] { #expect(!text.contains(secret), "\(text)") }
        }
        #expect(log.lines.contains { $0.contains("through the proxy 127.0.0.1:\(proxy.port)") })
    }
}
