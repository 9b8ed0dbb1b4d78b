import Foundation
import MockAPNs
import TestSupport
import Testing

@testable import PushProvider

extension FaultRow {
    /// Provider tokens that are refused, and a server that stops.
    static let credentials: [FaultRow] = [
        FaultRow(
            number: "78", words: "503 Shutdown, then GOAWAY", kind: .returned,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 3, connection: 1),
                    steps: [.answer(status: 503, reason: .shutdown), .goAway(.newest)])
            ]),
            also: { _, outcomes in
                #expect(outcomes[2].trace.attempts == 2)
                #expect(outcomes[2].connection == 2)
            }),
        FaultRow(
            number: "79", words: "ExpiredProviderToken for a thousand streams at once", kind: .returned,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: .within(2...1001), connection: 1),
                    steps: [.wait(.seconds(1)), .answer(status: 403, reason: .expiredProviderToken)])
            ]), pushes: 1001,
            also: { trial, outcomes in
                let records = try trial.records
                #expect(records.map(\.providerTokens.count) == [1, 1])
                #expect(records[0].providerTokens[0].issuedAt != records[1].providerTokens[0].issuedAt)
                #expect(outcomes.allSatisfy { $0.trace.attempts <= 2 })
                #expect(outcomes.count { $0.trace.attempts == 2 } == records[0].requestCount - 1)
            }),
        FaultRow(
            number: "80", words: "TooManyProviderTokenUpdates", kind: .returned,
            arrangement: .mock([
                MockFault(steps: [.answer(status: 429, reason: .tooManyProviderTokenUpdates)], times: 3)
            ]),
            maximumConnections: 1,
            also: { trial, outcomes in
                try #expect(trial.records[0].providerTokens.count == 1)
                #expect(outcomes.map(\.trace.attempts).reduce(0, +) == trial.row.pushes + 3)
            }),
        FaultRow(
            number: "81", words: "local clock hours behind, and the server tells its own", kind: .returned,
            arrangement: .script { .clock(secondsAhead: 7200, tellsDate: true) },
            also: { _, outcomes in #expect(outcomes.map(\.connection) == [2, 2, 2, 2, 2, 2]) }),
        FaultRow(
            number: "81a", words: "local clock hours behind, and the server does not tell its own", kind: .clientStops,
            arrangement: .script { .clock(secondsAhead: 7200, tellsDate: false) }, maximumConnections: 2,
            expected: .allBegin(""), clientSurvives: false,
            also: { trial, outcomes in
                // With no newer token to try, one refusal is enough for all.
                #expect(outcomes.count { $0.summary == "rejected 403 ExpiredProviderToken" } == 1)
                #expect(outcomes.count { $0.summary == "not sent: credentials, queue" } == outcomes.count - 1)
                for case .rejected(let rejection) in outcomes {
                    #expect(rejection.explanation?.advice.contains("Check the clock") == true)
                }
                // One token in place of the first, and no more.
                let tokens = try trial.stage.scripted.connections.flatMap(\.record.value.requests)
                    .compactMap { $0.fields["authorization"] }
                #expect(Set(tokens).count == 2)
            }),
    ]
}

extension ServerScript {
    /// A server that refuses provider tokens from more than an hour before its own time, as Apple's do.
    fileprivate static func clock(secondsAhead: Int, tellsDate: Bool) -> ServerScript {
        ServerScript(onRequest: { request in
            let now = Date(timeIntervalSinceNow: Double(secondsAhead))
            let age =
                Int(now.timeIntervalSince1970) - (ProviderTokenText.issuedAt(request.fields["authorization"]) ?? 0)
            guard age > 3600 else { return [.answer(request.streamID, 200)] }
            let headers = tellsDate ? ["date": DateFormatter.http.string(from: now)] : [:]
            return [.answer(request.streamID, 403, headers: headers, body: #"{"reason":"ExpiredProviderToken"}"#)]
        })
    }
}

extension FaultRow {
    /// Credentials that fit nowhere: one alarm in place of a storm.
    static let refusedCredentials: [FaultRow] = [
        refusedCertificate("85", .badCertificate), refusedCertificate("85a", .badCertificateEnvironment),
        refusedForAll("86", .invalidProviderToken), refusedForAll("87", .badEnvironmentKeyInToken),
        refusedForAll("87a", .badEnvironmentKeyIDInToken),
        refusedForAll("87b", .unrelatedKeyIDInToken, maximumConnections: 2), refusedForAll("87c", .topicDisallowed),
        refusedForAll("87e", .forbidden), refusedForAll("87f", .missingProviderToken),
        refusedForAll("87g", RejectionReason(rawValue: "SomethingNew")),
        FaultRow(
            number: "87d", words: "TopicDisallowed for one topic of two", kind: .clientStops,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(topic: "com.example.app"),
                    steps: [.answer(status: 400, reason: .topicDisallowed)])
            ]) { $0.variants.streamsAfterAuthentication = 10 }, maximumConnections: 1,
            expected: .allBegin(""), clientSurvives: false,
            // Handed in together: the others are queued when the first answers come.
            play: { try await $0.start(250) { $0 > 200 ? "com.example.other" : nil } },
            also: { _, outcomes in
                let rejected = outcomes.count { $0.summary == "rejected 400 TopicDisallowed" }
                let stopped = outcomes.count { $0.summary.hasPrefix("not sent: topic_refused") }
                // Twenty refusals stop the topic, and what was in flight by then comes on top.
                #expect((20...40).contains(rejected), "\(rejected)")
                #expect(rejected + stopped == 200)
                #expect(outcomes.count { $0.summary == "accepted" } == 50)
            }),
    ]

    private static func refusedCertificate(_ number: String, _ reason: RejectionReason) -> FaultRow {
        FaultRow(
            number: number, words: "GOAWAY \(reason.rawValue)", kind: .clientStops,
            arrangement: .mock([
                MockFault(
                    at: .connectionEstablished,
                    steps: [
                        // The client closes as soon as it has read this. A close of the server that comes first, as a
                        // reset, could take the unread GOAWAY away.
                        .settings(maxConcurrentStreams: 1000), .goAway(.none, reason: reason), .wait(.seconds(20)),
                        .closeConnection(.tlsClosed),
                    ])
            ]),
            credentials: { _ in .identity(try CertificateSet.shared().identity("universal.p12")) },
            maximumConnections: 1,
            expected: .allBegin("not sent: credentials"), clientSurvives: false,
            also: { trial, outcomes in
                let sentences = Set(outcomes.map(\.sentence))
                #expect(
                    sentences.allSatisfy { $0.contains("refused the certificate: \(reason.rawValue).") }, "\(sentences)"
                )
                #expect(trial.stage.log.isEmpty)
            })
    }

    private static func refusedForAll(
        _ number: String, _ reason: RejectionReason, maximumConnections: Int = 1
    ) -> FaultRow {
        let status = reason == .topicDisallowed ? 400 : 403
        return FaultRow(
            number: number, words: "\(status) \(reason.rawValue) for every push", kind: .clientStops,
            arrangement: .mock([MockFault(steps: [.answer(status: status, reason: reason)])]), pushes: 200,
            maximumConnections: maximumConnections, expected: .allBegin(""), clientSurvives: false,
            also: { trial, outcomes in
                let rejected = outcomes.count { $0.summary == "rejected \(status) \(reason.rawValue)" }
                // Three in a row are enough, and twenty where it may be about one topic; what was on its way by then comes on top.
                #expect(rejected <= (reason == .topicDisallowed ? 20 : 3), "\(rejected)")
                let isTopic = reason == .topicDisallowed
                let alarm = isTopic ? "APNs refuses the topic" : "APNs refuses the credentials"
                let alarms = trial.log.lines.filter { $0.contains(alarm) }
                #expect(alarms.count == 1, "\(alarms)")
                let cause = isTopic ? "topic_refused" : "credentials"
                let stopped = outcomes.count { $0.summary.hasPrefix("not sent: \(cause)") }
                #expect(rejected + stopped == outcomes.count)
            })
    }
}
