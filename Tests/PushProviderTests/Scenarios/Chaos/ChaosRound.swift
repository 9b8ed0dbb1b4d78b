import Logging
import MockAPNs
import NIOConcurrencyHelpers
import TestSupport

@testable import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What came of a round, as both sides tell it.
struct ChaosTale: Sendable {
    /// What one caller received.
    enum Received: Sendable {
        case outcome(PushOutcome)
        /// It was not taken in.
        case invalid
        /// Its sequence was cancelled, or stopped for the credentials, before it was its turn.
        case neverBegun
    }

    struct Entry: Sendable {
        var send: ChaosSend
        var received: Received
        /// Which client of the round it was given to, from 0.
        var client: Int
        /// The task of its sequence was cancelled.
        var wasCancelled = false
        /// Its sequence was stopped for the credentials.
        var wasStopped = false
    }

    var plan: ChaosPlan
    var entries: [Entry] = []
    var arrivals: [MockArrival] = []
    var records: [MockConnectionRecord] = []
    var faultCounts: [MockFault.Count] = []
    /// The fault of each number.
    var faults: [MockFault.ID: ChaosFault] = [:]
    /// Clients that were shut down with little time to finish.
    var hurriedClients: Set<Int> = []
}

/// Performs a plan: starts a mock with its faults, sends from many tasks, and lets both sides tell.
final class ChaosRound: Sendable {
    private struct Clients {
        var current: PushClient
        var index = 0
        var begun = 0
        var handovers: ArraySlice<ChaosHandover>
        var hurried: Set<Int> = []
    }

    private let plan: ChaosPlan
    private let environment: PushEnvironment
    /// Its provider tokens are nobody else's: some are refused.
    private let key: PushProviderKey
    private let clients: NIOLockedValueBox<Clients>

    private init(_ plan: ChaosPlan, mock: MockServer, _ credentials: MockCredentials) throws {
        self.plan = plan
        environment = PushEnvironment(
            host: "127.0.0.1", port: mock.port, trust: .authorities(pem: credentials.authority))
        key = try credentials.providerKey
        let first = try Self.client(of: plan, environment, key)
        clients = NIOLockedValueBox(Clients(current: first, handovers: plan.handovers[...]))
    }

    static func perform(_ plan: ChaosPlan) async throws -> ChaosTale {
        let credentials = try MockCredentials.inMemory()
        let mock = try await MockServer.start(plan.mock, credentials: credentials, logger: .silent)
        var tale = ChaosTale(plan: plan)
        for fault in plan.faults { tale.faults[try mock.inject(fault.fault)] = fault }
        let round = try ChaosRound(plan, mock: mock, credentials)
        do {
            tale.entries = try await round.sendEverything()
        } catch {
            await mock.stop()
            throw error
        }
        // All outcomes have been reported: nothing is left to wait for.
        await round.clients.withLockedValue { $0.current }.shutdown()
        // From here on both sides have said everything.
        await mock.stop()
        tale.hurriedClients = round.clients.withLockedValue { $0.hurried }
        tale.arrivals = mock.arrivals
        tale.records = mock.connectionRecords
        tale.faultCounts = mock.faultCounts
        return tale
    }

    private static func client(
        of plan: ChaosPlan, _ environment: PushEnvironment, _ key: PushProviderKey
    ) throws -> PushClient {
        try PushClient.sample(environment, key: key) { $0 = plan.client }
    }

    // MARK: Senders

    private func sendEverything() async throws -> [ChaosTale.Entry] {
        try await withThrowingTaskGroup(of: [ChaosTale.Entry].self) { group in
            for sender in plan.senders {
                group.addTask { try await self.perform(sender) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func perform(_ sender: ChaosSender) async throws -> [ChaosTale.Entry] {
        switch sender.way {
        case .oneByOne, .throwing:
            var entries: [ChaosTale.Entry] = []
            for send in sender.sends { entries.append(try await perform(send, throwing: sender.way == .throwing)) }
            return entries
        case .together:
            return try await withThrowingTaskGroup(of: ChaosTale.Entry.self) { group in
                for send in sender.sends { group.addTask { try await self.perform(send, throwing: false) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        case .sequence: return try await performSequence(sender)
        }
    }

    private func perform(_ send: ChaosSend, throwing: Bool) async throws -> ChaosTale.Entry {
        let (client, index) = try await clientForNext(1)
        let notification = try send.notification(secondsSince1970: Self.now)
        let task = Task { () -> ChaosTale.Received in
            do throws(PushOutcome) {
                guard throwing else {
                    return ChaosTale.Received(await client.outcome(of: notification, timeout: send.timeout))
                }
                return .outcome(.accepted(try await client.send(notification, timeout: send.timeout)))
            } catch {
                return ChaosTale.Received(error)
            }
        }
        if let time = send.cancelledAfter {
            // A sleep and no condition to wait for: it is the happening itself, drawn from the seed. Wherever the send is by
            // then, the outcome must be true, so no machine is too slow or too fast for it.
            if time > .zero { try? await Task.sleep(for: time) }
            task.cancel()
        }
        return ChaosTale.Entry(send: send, received: await task.value, client: index)
    }

    private func performSequence(_ sender: ChaosSender) async throws -> [ChaosTale.Entry] {
        let (client, index) = try await clientForNext(sender.sends.count)
        let now = Self.now
        let notifications = try sender.sends.map { try $0.notification(secondsSince1970: now) }
        let (sequence, source) = AsyncStream.makeStream(of: PushNotification.self)
        for notification in notifications { source.yield(notification) }
        source.finish()
        var entries = sender.sends.map { ChaosTale.Entry(send: $0, received: .neverBegun, client: index) }
        let timeout = sender.sends[0].timeout
        var outcomes = 0
        do {
            for try await result in client.outcomes(of: sequence, timeout: timeout) {
                outcomes += 1
                entries[result.index].received = ChaosTale.Received(result.outcome)
                if outcomes == sender.cancelledAfterOutcomes { withUnsafeCurrentTask { $0?.cancel() } }
            }
        } catch is PushCredentialsRefused {
            for number in entries.indices { entries[number].wasStopped = true }
        }
        if sender.cancelledAfterOutcomes != nil {
            for number in entries.indices { entries[number].wasCancelled = true }
        }
        for number in entries.indices { entries[number].send.timeout = timeout }
        return entries
    }

    private static var now: Int { Int(Date().timeIntervalSince1970) }

    // MARK: Clients

    /// The client that is to send the next ones; at times that is another one from here on.
    private func clientForNext(_ count: Int) async throws -> (PushClient, Int) {
        let (current, index, leaving) = try clients.withLockedValue { clients in
            clients.begun += count
            var leaving: (client: PushClient, drainTime: Duration)?
            if let handover = clients.handovers.first, clients.begun > handover.afterSends {
                clients.handovers.removeFirst()
                leaving = (clients.current, handover.drainTime)
                if handover.drainTime < plan.client.timeout { clients.hurried.insert(clients.index) }
                clients.current = try Self.client(of: plan, environment, key)
                clients.index += 1
            }
            return (clients.current, clients.index, leaving)
        }
        if let leaving { await leaving.client.shutdown(drainTime: leaving.drainTime) }
        return (current, index)
    }
}

extension ChaosTale.Received {
    fileprivate init(_ outcome: PushOutcome) {
        if case .invalid = outcome { self = .invalid } else { self = .outcome(outcome) }
    }
}
