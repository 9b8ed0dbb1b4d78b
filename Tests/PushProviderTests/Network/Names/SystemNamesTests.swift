import Dispatch
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import PushProvider

/// Names as the system resolves them, off the event loops.
@Suite(.timeLimit(.minutes(10))) struct SystemNamesTests {
    private typealias Found = Result<[NetworkAddress], NameFailure>

    /// A system whose answers wait for a test.
    private final class HeldSystem: Sendable {
        let asked = Watched<[String]>([])
        private let gate = DispatchSemaphore(value: 0)

        var names: SystemNames {
            SystemNames { [asked, gate] host, port in
                asked.change { $0.append(host) }
                if host == "silent" { gate.wait() }
                return .success([NetworkAddress(ipv4: (10, 0, 0, 1), port: port)])
            }
        }

        func release(_ count: Int) {
            for _ in 0..<count { gate.signal() }
        }
    }

    @Test(arguments: ["127.0.0.1", "::1", "localhost", "LOCALHOST"])
    func `an address that needs no lookup is there at once`(host: String) {
        let found = NIOLockedValueBox<[NetworkAddress]>([])
        let names = SystemNames { _, _ in
            Issue.record("the system was asked")
            return .failure(.unknown)
        }
        _ = names.lookUp(host, port: 443) { answer in found.withLockedValue { $0 = (try? answer.get()) ?? [] } }
        #expect(found.withLockedValue { $0 }.count == (host.lowercased() == "localhost" ? 2 : 1))
    }

    @Test func `the system's own names have addresses, and others say why not`() throws {
        guard case .success(let addresses) = SystemNames.ask("localhost", 443) else {
            Issue.record("localhost is no name here")
            return
        }
        #expect(addresses.contains(NetworkAddress(ipv4: (127, 0, 0, 1), port: 443)))
        guard case .failure = SystemNames.ask("nothing.invalid", 443) else {
            Issue.record("nothing.invalid has an address here")
            return
        }
    }

    @Test func `threads do not pile up behind a silent name, and others get their answer`() async throws {
        let system = HeldSystem()
        let names = system.names
        let answers = Watched(0)
        for _ in 0..<20 { _ = names.lookUp("silent", port: 1) { _ in answers.change { $0 += 1 } } }
        let other = Watched<Found?>(nil)
        _ = names.lookUp("other", port: 7) { found in other.change { $0 = found } }
        let found = try await other.wait(for: "the other name") { $0 != nil }
        #expect(found == .success([NetworkAddress(ipv4: (10, 0, 0, 1), port: 7)]))
        let asked = try await system.asked.wait(for: "the silent name") { $0.count >= 3 }
        #expect(asked.count { $0 == "silent" } == LookupLine.maximumOfOneName)
        system.release(20)
        try await answers.wait(for: "all answers") { $0 == 20 }
    }

    @Test func `who has given up hears nothing, and is not asked for`() async throws {
        let system = HeldSystem()
        let names = system.names
        let giveUps = (0..<4).map { _ in
            names.lookUp("silent", port: 1) { _ in Issue.record("nobody waits for it") }
        }
        try await system.asked.wait(for: "the first two") { $0.count == 2 }
        for giveUp in giveUps { giveUp() }
        system.release(4)
        let other = Watched(false)
        _ = names.lookUp("other", port: 1) { _ in other.change { $0 = true } }
        try await other.wait(for: "another name") { $0 }
        #expect(system.asked.value.count { $0 == "silent" } == 2)
    }
}
