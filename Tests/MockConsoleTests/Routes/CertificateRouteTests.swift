import Foundation
import HTTPTypes
import MockAPNs
import PushJSON
import PushProvider
import TestSupport
import Testing

@testable import MockConsole

/// Client certificates: authorities that are accepted, and certificates that were revoked.
@Suite(.timeLimit(.minutes(10))) struct CertificateRouteTests {
    private static func client(of console: Console) async throws -> PushClient {
        let p12 = await console.ask(.get, "/v1/client.p12?password=a").body
        return try PushClient.sample(
            .local(port: console.mock.port),
            credentials: .identity(try PushIdentity(p12: p12, passphrase: "a")))
    }

    private static func body(_ pem: String) throws -> String {
        String(decoding: try JSONEncoder().encode(["pem": pem]), as: UTF8.self)
    }

    @Test func `a revoked certificate is refused on open connections and on new ones, until it is restored`()
        async throws
    {
        let console = try await Console()
        let client = try await Self.client(of: console)
        #expect(try await client.outcome(of: .sample()).isAccepted)
        let sha256 = try #require(
            await console.ask(.get, "/v1/connections")["items", "0", "certificate_sha256"]?.string)
        #expect(await console.ask(.put, "/v1/revoked-certificates/\(sha256)", "{}").status == 200)
        #expect(await console.ask(.get, "/v1/revoked-certificates")["items", "0", "sha256"]?.string == sha256)
        let outcome = try await client.outcome(of: .sample())
        #expect("\(outcome)".contains("BadCertificate"), "\(outcome)")
        await client.shutdown()
        let second = try await Self.client(of: console)
        // Each request makes a new identity: this certificate was never revoked.
        #expect(try await second.outcome(of: .sample()).isAccepted)
        await second.shutdown()
        #expect(await console.ask(.delete, "/v1/revoked-certificates/\(sha256)").status == 204)
        #expect(await console.ask(.delete, "/v1/revoked-certificates/\(sha256)").status == 404)
        await console.end()
    }

    @Test func `an authority that is no longer trusted is refused, and a trusted one accepted`() async throws {
        let console = try await Console()
        let own = try #require(await console.ask(.get, "/v1/authorities")["items", "0", "sha256"]?.string)
        #expect(await console.ask(.delete, "/v1/authorities/\(own)").status == 204)
        let client = try await Self.client(of: console)
        let refused = try await client.outcome(of: .sample())
        #expect("\(refused)".contains("BadCertificate"), "\(refused)")
        await client.shutdown()
        let pem = console.mock.credentials.authority
        let another = String(decoding: try CertificateSet.shared().read("ca.pem"), as: UTF8.self)
        #expect(await console.ask(.post, "/v1/authorities", try Self.body(another + pem)).status == 201)
        let second = try await Self.client(of: console)
        let still = try await second.outcome(of: .sample())
        #expect("\(still)".contains("BadCertificate"), "Only the first certificate of a text counts: \(still)")
        await second.shutdown()
        let trusted = await console.ask(.post, "/v1/authorities", try Self.body(pem))
        #expect(trusted.status == 201 && trusted["sha256"]?.string == own, "\(trusted.text)")
        let again = try await Self.client(of: console)
        #expect(try await again.outcome(of: .sample()).isAccepted)
        await again.shutdown()
        await console.end()
    }

    @Test(arguments: [("\"TopicDisallowed\"", "TopicDisallowed"), ("null", "accepted")])
    func `a setting answers what the checks of certificates find`(answer: String, outcome: String) async throws {
        let console = try await Console()
        let own = try #require(await console.ask(.get, "/v1/authorities")["items", "0", "sha256"]?.string)
        #expect(await console.ask(.delete, "/v1/authorities/\(own)").status == 204)
        await console.ask(.patch, "/v1/settings", #"{"answers": {"client-certificate": \#(answer)}}"#)
        let client = try await Self.client(of: console)
        let found = "\(try await client.outcome(of: .sample()))"
        #expect(found.contains(outcome), "\(found)")
        await client.shutdown()
        await console.end()
    }

    @Test func `a certificate that is no authority, a text without a certificate, and a wrong digest are refused`()
        async throws
    {
        let console = try await Console()
        let set = try CertificateSet.shared()
        let leaf = String(decoding: try set.read("server.pem"), as: UTF8.self)
        let answer = await console.ask(.post, "/v1/authorities", try Self.body(leaf))
        #expect(answer.status == 400 && answer["field"]?.string == "/pem", "\(answer.text)")
        #expect(await console.ask(.post, "/v1/authorities", #"{"pem": "hello"}"#).status == 400)
        let long = console.mock.credentials.authority + String(repeating: "x", count: 65_536)
        #expect(await console.ask(.post, "/v1/authorities", try Self.body(long))["code"]?.string == "invalid_value")
        #expect(await console.ask(.put, "/v1/revoked-certificates/abc", "{}").status == 400)
        #expect(await console.ask(.delete, "/v1/authorities/\(String(repeating: "0", count: 64))").status == 404)
        await console.end()
    }
}

extension PushOutcome {
    fileprivate var isAccepted: Bool { if case .accepted = self { true } else { false } }
}
