import Foundation
import MockAPNs
import TestSupport
import Testing

@testable import PushProvider

extension FaultRow {
    /// Answers of every kind that HTTP/2 lets through, and of some that it does not.
    static let oddAnswers: [FaultRow] = statuses + shapes + bodies + waits

    // MARK: Status and header fields

    private static let statuses: [FaultRow] = [
        spoilt("47", ":status missing") { $0.fields = [.init("apns-id", "x")] },
        spoilt("47a", ":status twice") { $0.fields = [.init(":status", "200"), .init(":status", "200")] },
        spoilt("47b", ":status that is no number") { $0.fields = [.init(":status", "two")] },
        spoilt("47c", ":status of four digits") { $0.fields = [.init(":status", "2000")] },
        spoilt("47d", ":status behind other fields") { $0.fields = [.init("apns-id", "x"), .init(":status", "200")] },
        accepted("48", "100 and 103 before the final one") { $0.interim = [100, 103] },
        accepted("48a", "a hundred interim answers") { $0.interim = Array(repeating: 103, count: 100) },
        accepted("49", "trailers") { $0.trailers = ["x-checksum": "1"] },
        accepted("49a", "body and trailers") {
            $0.body = "{}"
            $0.trailers = ["x-checksum": "1"]
        },
        spoilt("50", "upper-case header name") { $0.fields = [.init(":status", "200"), .init("Apns-Id", "x")] },
        spoilt("50a", "a field of HTTP/1.1") { $0.fields = [.init(":status", "200"), .init("connection", "close")] },
        FaultRow(
            number: "51", words: "huge header list", kind: .connectionBreaks,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 2, connection: 1),
                    steps: [.answer(MockFault.Answer(status: 200) { $0.padding = .init(count: 2000, bytes: 1000) })],
                    times: 1)
            ]), spoilsAnswers: true, expected: .allBegin(""),
            also: { trial, outcomes in
                guard trial.isAtMostOnce else { return }
                #expect(outcomes[1].summary.hasPrefix("unknown: "), "\(outcomes[1].summary)")
                let others = outcomes.map(\.summary).filter { $0 != "accepted" }
                #expect(others.allSatisfy { $0.hasPrefix("unknown: ") }, "\(others)")
            }),
        accepted("51a", "many header fields, and not too many") { $0.padding = .init(count: 100, bytes: 50) },
        FaultRow(
            number: "54", words: "apns-id missing", kind: .harmless,
            arrangement: .mock([MockFault(steps: [.answer(MockFault.Answer(status: 200) { $0.leftOut = ["apns-id"] })])]
            ),
            maximumConnections: 1,
            also: { _, outcomes in
                for case .accepted(let acceptance) in outcomes { #expect(acceptance.apnsID.isEmpty) }
            }),
        FaultRow(
            number: "54a", words: "another apns-id", kind: .harmless,
            arrangement: .mock([
                MockFault(steps: [
                    .answer(status: 200, headers: ["apns-id": "0e7a3c11-2f5d-4b8a-9c6e-1d2f3a4b5c6d"])
                ])
            ]), maximumConnections: 1,
            also: { _, outcomes in
                for case .accepted(let acceptance) in outcomes {
                    #expect(acceptance.apnsID == "0e7a3c11-2f5d-4b8a-9c6e-1d2f3a4b5c6d")
                }
            }),
    ]

    // MARK: Lengths and encodings

    private static let shapes: [FaultRow] = [
        spoilt("56", "content-length larger than the body") {
            $0.headers = ["content-length": "77"]
            $0.body = "short"
        },
        spoilt("56a", "content-length smaller than the body") {
            $0.headers = ["content-length": "2"]
            $0.body = "longer than that"
        },
        spoilt("56b", "content-length that is no number") {
            $0.headers = ["content-length": "many"]
            $0.body = "short"
        },
        rejected("60", "compressed body", expected: "rejected 400 -", kept: [0x1F, 0x8B, 8, 0, 1, 2, 3]) {
            $0.headers = ["content-encoding": "gzip"]
            $0.body = .bytes([0x1F, 0x8B, 8, 0, 1, 2, 3])
        },
    ]

    // MARK: Bodies

    private static let bodies: [FaultRow] = [
        rejected("55", "truncated JSON", expected: "rejected 400 -") { $0.body = #"{"reason":"BadDev"# },
        rejected("55a", "empty body", expected: "rejected 400 -") { $0.body = "" },
        rejected("55b", "HTML", expected: "rejected 400 -") { $0.body = "<html><h1>Bad</h1></html>" },
        rejected("55c", "invalid UTF-8", expected: "rejected 400 -", kept: [0x7B, 0xFF, 0xFE]) {
            $0.body = .bytes([0x7B, 0xFF, 0xFE])
        },
        rejected("55d", "1 MB", expected: "rejected 400 -", keptAtMost: 65_536) { $0.body = .filled(1 << 20) },
        rejected("55e", "unknown reason", expected: "rejected 400 SomethingNew") {
            $0.body = #"{"reason":"SomethingNew"}"#
        },
        rejected("55f", "reason of another type", expected: "rejected 400 -") { $0.body = #"{"reason":7}"# },
        rejected("55g", "several DATA frames", expected: "rejected 400 BadTopic") {
            $0.body = #"{"reason":"BadTopic"}"#
            $0.pieceBytes = 1
        },
        gone("57", "410 with a timestamp that is text", #"{"reason":"Unregistered","timestamp":"yesterday"}"#),
        gone("57a", "410 without timestamp", #"{"reason":"Unregistered"}"#),
        gone("57b", "410 with a negative timestamp", #"{"reason":"Unregistered","timestamp":-5}"#),
        gone("57c", "410 with a timestamp beyond all time", #"{"reason":"Unregistered","timestamp":1e300}"#),
    ]

    // MARK: Retry-After

    private static let waits: [FaultRow] = [
        retryAfter("58", "Retry-After in seconds") { "1" },
        retryAfter("58a", "Retry-After as a date") {
            DateFormatter.http.string(from: Date(timeIntervalSinceNow: 3))
        },
        // With these two, the client's own pause applies. RetryTests checks how long it may be.
        retryAfter("58b", "Retry-After that is neither") { "soon" },
        // If the client waited for an hour, the deadline would pass and the push would be rejected.
        retryAfter("58c", "Retry-After that is negative") { "-3600" },
    ]

    // MARK: Kinds

    private static func accepted(
        _ number: String, _ words: String, _ change: (inout MockFault.Answer) -> Void
    ) -> FaultRow {
        FaultRow(
            number: number, words: words, kind: .harmless,
            arrangement: .mock([MockFault(steps: [.answer(MockFault.Answer(status: 200, change))])]),
            maximumConnections: 1
        )
    }

    /// One answer cannot be understood, and does not show the outcome of the notification.
    private static func spoilt(
        _ number: String, _ words: String, _ change: (inout MockFault.Answer) -> Void
    ) -> FaultRow {
        let answer = MockFault.Answer(status: 200, change)
        return FaultRow(
            number: number, words: words, kind: .unknown,
            arrangement: .mock([
                MockFault(
                    when: MockFault.Matcher(requestOnConnection: 2, connection: 1), steps: [.answer(answer)], times: 1)
            ]), spoilsAnswers: true, maximumConnections: 1,
            expected: .counts(["accepted": 5, "unknown: malformed_answer, parse": 1]))
    }

    private static func rejected(
        _ number: String, _ words: String, expected: String, kept: [UInt8]? = nil, keptAtMost: Int = 1000,
        _ change: (inout MockFault.Answer) -> Void
    ) -> FaultRow {
        let answer = MockFault.Answer(status: 400, change)
        return FaultRow(
            number: number, words: words, kind: .harmless,
            arrangement: .mock([MockFault(steps: [.answer(answer)])]), saysItsReason: false, maximumConnections: 1,
            expected: .all(expected),
            also: { _, outcomes in
                for case .rejected(let rejection) in outcomes {
                    #expect(rejection.body.count <= keptAtMost)
                    #expect(rejection.body == kept ?? Array(answer.bodySent.prefix(keptAtMost)))
                }
            })
    }

    private static func gone(_ number: String, _ words: String, _ body: String) -> FaultRow {
        FaultRow(
            number: number, words: words, kind: .harmless,
            arrangement: .mock([MockFault(steps: [.answer(status: 410, body: .text(body))])]), saysItsReason: false,
            maximumConnections: 1, expected: .all("rejected 410 Unregistered"),
            also: { _, outcomes in
                for case .rejected(let rejection) in outcomes { #expect(rejection.timestampMilliseconds == nil) }
            })
    }

    /// The first answer asks for a pause; the same push comes again after it.
    private static func retryAfter(
        _ number: String, _ words: String, _ value: @escaping @Sendable () -> String
    ) -> FaultRow {
        FaultRow(
            number: number, words: words, kind: .returned, arrangement: .mock([]), maximumConnections: 1,
            play: { trial in
                let value = value()
                let answer = MockFault.Step.answer(
                    status: 503, reason: .serviceUnavailable, headers: ["retry-after": value])
                try trial.stage.mock.inject(MockFault(steps: [answer], times: 1))
                _ = try await trial.start(1)[0].value
                let times = try trial.stage.mock.arrivals.map(\.time)
                try #require(times.count == 2)
                // Seconds count from the first answer, and what is no time asks for no pause.
                let earliest = DateFormatter.http.date(from: value) ?? times[0] + max(0, Double(value) ?? 0)
                #expect(times[1] >= earliest, "\(times)")
            },
            also: { _, outcomes in #expect(outcomes[0].trace.attempts == 2) })
    }
}

extension MockFault.Answer {
    fileprivate var bodySent: [UInt8] {
        switch body {
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .filled(let count): Array(repeating: UInt8(ascii: "x"), count: count)
        case nil: []
        }
    }
}
