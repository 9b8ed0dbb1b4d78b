import Foundation
import NIOConcurrencyHelpers
import PushWire
import TestSupport
import Testing

@testable import PushProvider

extension HeavyTests {
    /// A server in a bad mood: what each send reports must be what the server knows of it.
    @Suite struct SoakTests {
        /// What the server did, by the id of the request.
        fileprivate struct Ledger {
            var random: SeededGenerator
            /// What the first requests get before chance decides: accepted, rejected, refused, reset, and the end of the
            /// connection.
            var first = [0, 150, 160, 170, 195]
            var seen: [String: Int] = [:]
            var accepted: Set<String> = []
            var rejected: Set<String> = []
            var refused: Set<String> = []
            var reset: Set<String> = []
            var held: Set<String> = []
            /// Connections that were ended with streams perhaps open.
            var ended: Set<Int> = []
            /// Connections that said GOAWAY, and the last stream that they processed.
            var lastStreams: [Int: Int32] = [:]

            /// Whether the server did anything with a request.
            func isProcessed(_ id: String) -> Bool {
                accepted.contains(id) || rejected.contains(id) || reset.contains(id) || held.contains(id)
            }

            mutating func treat(_ request: ServedRequest) -> [ServerStep] {
                let id = request.apnsID
                seen[id, default: 0] += 1
                guard !ended.contains(request.connection),
                    request.streamID <= lastStreams[request.connection] ?? .max
                else { return [] }
                switch first.isEmpty ? Int.random(in: 0..<200, using: &random) : first.removeFirst() {
                case 0..<150: return accept(request)
                case 150..<160:
                    rejected.insert(id)
                    return [.answer(request.streamID, 410, body: #"{"reason":"Unregistered"}"#)]
                case 160..<170:
                    refused.insert(id)
                    return [.reset(request.streamID, .refusedStream)]
                case 170..<180:
                    reset.insert(id)
                    return [.reset(request.streamID, .internalError)]
                case 180..<184:
                    lastStreams[request.connection] = request.streamID
                    return accept(request) + [.goAway(lastStreamID: request.streamID)]
                case 184..<188:
                    refused.insert(id)
                    lastStreams[request.connection] = request.streamID - 2
                    return [.goAway(lastStreamID: request.streamID - 2, text: #"{"reason":"Shutdown"}"#)]
                case 188..<190: return end(.close, accept(request), of: request)
                case 190..<192: return end(.hangUp, [], of: request)
                case 192..<195: return end(.abort, accept(request), of: request)
                case 195..<197: return end(.abort, [], of: request)
                default:
                    held.insert(id)
                    return []
                }
            }

            private mutating func accept(_ request: ServedRequest) -> [ServerStep] {
                accepted.insert(request.apnsID)
                return [.answer(request.streamID, 200, headers: ["apns-id": request.apnsID])]
            }

            private mutating func end(
                _ step: ServerStep, _ before: [ServerStep], of request: ServedRequest
            ) -> [ServerStep] {
                ended.insert(request.connection)
                return before + [step]
            }
        }

        /// Sends once, and returns the id as well.
        private func send(_ client: PushClient, timeout: Duration? = nil) async throws -> (String, PushOutcome) {
            let id = UUID()
            let outcome = try await client.outcome(of: .sample { $0.id = id }, timeout: timeout)
            return (id.uuidString.lowercased(), outcome)
        }

        @Test(arguments: [1, 2, 3])
        func `whatever a server does, each send has exactly one outcome, the true one`(seed: UInt64) async throws {
            var ledger = Ledger(random: SeededGenerator(seed: seed))
            let box = NIOLockedValueBox(ledger)
            let server = try await ScriptedServer.start(
                ServerScript(
                    settings: .streams(30), onRequest: { request in box.withLockedValue { $0.treat(request) } }))
            let client = try PushClient.sample(to: server) {
                $0.queuedNotifications = 5
                // A slow machine must not look like a dead server.
                $0.pingTimeout = .seconds(60)
            }
            var outcomes: [(String, PushOutcome)] = []
            // One of each kind, with all the time that a slow machine takes.
            for _ in ledger.first { outcomes.append(try await send(client)) }
            outcomes += try await withThrowingTaskGroup(of: [(String, PushOutcome)].self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        var outcomes: [(String, PushOutcome)] = []
                        for _ in 0..<14 { outcomes.append(try await send(client, timeout: .seconds(1))) }
                        return outcomes
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            await client.shutdown()
            ledger = box.withLockedValue { $0 }
            #expect(outcomes.count == 705)
            #expect(Set(outcomes.map(\.0)).count == 705)
            #expect(ledger.seen.values.allSatisfy { $0 == 1 })
            for (id, outcome) in outcomes {
                if let complaint = ledger.complaint(about: id, outcome) {
                    Issue.record("\(outcome.summary) on connection \(outcome.connection ?? 0): \(complaint)")
                }
            }
            let summaries = Set(outcomes.map(\.1.summary))
            let common: Set = [
                "accepted", "rejected 410 Unregistered", "not sent: refused, wait", "unknown: stream_reset, wait",
                "unknown: connection_lost, wait",
            ]
            #expect(summaries.isSuperset(of: common), "\(summaries)")
        }
    }
}

extension HeavyTests.SoakTests.Ledger {
    /// What is wrong about an outcome.
    fileprivate func complaint(about id: String, _ outcome: PushOutcome) -> String? {
        switch outcome {
        case .accepted: return accepted.contains(id) ? nil : "the server has not accepted it"
        case .rejected: return rejected.contains(id) ? nil : "the server has not rejected it"
        case .notSent(let notSent) where notSent.cause == .refused:
            return isProcessed(id) ? "the server has processed it" : nil
        case .notSent, .invalid: return seen[id] == nil ? nil : "the server has seen it"
        case .unknown(let unknown) where unknown.cause == .streamReset:
            return reset.contains(id) ? nil : "the server has not reset it"
        case .unknown(let unknown) where unknown.cause == .connectionLost:
            return ended.contains(unknown.trace.connection ?? 0) ? nil : "its connection was not ended"
        case .unknown(let unknown) where unknown.cause == .deadline: return nil
        case .unknown: return "there is no cause for it"
        }
    }
}
