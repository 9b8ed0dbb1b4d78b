import Foundation
import TestSupport
import Testing

/// A certificate is renewed while the service runs.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct RenewedCertificateTests {
    private static let push = #"{"token":"\#(RunningMock.token)","payload":{"aps":{"alert":"Hello"}}}"#

    private func daysLeft(_ service: RunningPushserve, _ key: String) async throws -> Int {
        let status = try await service.curl("/v1/status", key: key)
        let app = try #require(status["apps"]?.elements.first)
        #expect(app["state"]?.string == "running")
        return try #require(app["certificate_days_left"]?.integer)
    }

    private func copy(_ name: String, to file: String, _ workspace: Workspace) async throws {
        let folder = try await ExampleCertificates.folder()
        // As a program that renews certificates does it: never half a file.
        try await workspace.prepare("cp '\(folder)/\(name)' new && chmod 600 new && mv new \(file)")
    }

    @Test func `a replaced p12 is taken up without a pause`() async throws {
        let folder = try await ExampleCertificates.folder()
        let requests = try await RunningMock.with("--certs", folder) { mock in
            try await copy("expiring.p12", to: "push.p12", mock.workspace)
            let certificate = "{file: push.p12, passphrase_file: \(folder)/passphrase.txt}"
            let service = try await RunningPushserve(before: mock, credentials: "certificate: \(certificate)")
            let key = try await service.key("send,read")
            let old = try await daysLeft(service, key)
            #expect(old < 60)
            try await expectAccepted(service, key)

            try await copy("universal.p12", to: "push.p12", mock.workspace)
            // Pushes go on all the time, and each is accepted.
            while try await daysLeft(service, key) < 300 { try await expectAccepted(service, key) }
            try await expectAccepted(service, key)
            await service.end()
        }
        #expect(requests.allSatisfy { $0["status"]?.integer == 200 })
        let connections = requests.compactMap { $0["connection"]?.integer }
        #expect(connections.first != connections.last, "The new certificate has a connection of its own.")
    }

    private func expectAccepted(_ service: RunningPushserve, _ key: String) async throws {
        let outcome = try await service.outcome(of: Self.push, key: key)
        #expect(outcome["kind"]?.string == "accepted", "\(outcome)")
    }
}
