import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing

@Suite(.takingTurns) struct MockAddressTests {
    @Test(.enabled("this machine has no IPv6", { await hasIPv6() }))
    func `it listens on IPv6`() async throws {
        try await RunningMock.with("--listen", "::1") { mock in
            #expect(mock.ready["endpoint"]?.string == "[::1]:\(mock.port)")
            #expect(try await mock.send("-m", "Hello").status == 0)
            let byAddress = try await mock.workspace.pushsend(
                "send", RunningMock.token, "--key", "mock/AuthKey_MOCKKEY123.p8", "--team-id", "MOCKTEAM12",
                "--topic", RunningMock.topic, "-m", "Hello", "--endpoint", "[::1]:\(mock.port)", "--cacert", mock.caFile
            )
            #expect(byAddress.status == 0, "\(byAddress.errors)")
            let curl = try await mock.curl("https://[::1]:\(mock.port)/3/device/\(RunningMock.token)")
            #expect(curl.status == 200)
        }
    }

    @Test(arguments: [
        "api.sandbox.push.apple.com", "api.development.push.apple.com", "api.push.apple.com", "localhost",
    ])
    func `senders with a built-in host find that host in the certificate`(host: String) async throws {
        try await RunningMock.with { mock in
            let answer = try await mock.curl(
                "https://\(host):\(mock.port)/3/device/\(RunningMock.token)",
                ["--resolve", "\(host):\(mock.port):127.0.0.1"]
            )
            #expect(answer.status == 200)
        }
    }

    @Test func `a host that is not in the certificate is refused by clients, and --name puts it there`() async throws {
        let workspace = try Workspace()
        try await RunningMock.with(in: workspace) { mock in
            let answer = try await mock.curl(toHost: "push.example.test")
            #expect(answer.status == 0)
        }
        try await RunningMock.with("--name", "push.example.test", in: workspace) { mock in
            let answer = try await mock.curl(toHost: "push.example.test")
            #expect(answer.status == 200)
        }
        let certificate = try await workspace.run(["openssl", "x509", "-in", "mock/server.pem", "-noout", "-text"])
        #expect(certificate.output.contains("DNS:push.example.test"))
        #expect(certificate.output.contains("DNS:api.push.apple.com"))
        #expect(certificate.output.contains("IP Address:127.0.0.1"))
    }

    private static func hasIPv6() async -> Bool {
        let server = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        guard let channel = try? await server.bind(host: "::1", port: 0).get() else { return false }
        try? await channel.close()
        return true
    }
}

extension RunningMock {
    fileprivate func curl(toHost host: String) async throws -> CurlAnswer {
        try await curl(
            "https://\(host):\(port)/3/device/\(Self.token)", ["--resolve", "\(host):\(port):127.0.0.1"])
    }
}
