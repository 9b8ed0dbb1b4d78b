import APNSVocabulary
import MockAPNs
import PushPlatform
import TestSupport

/// The kinds of fault that rounds are drawn from.
enum ChaosCatalogue {
    private static let some = 0.005...0.03
    private static let few = 0.003...0.012

    /// So that each outcome occurs in each round.
    static func everyRound(_ chance: inout SeededGenerator) -> [ChaosFault] {
        [
            ChaosKind("rejected for good", .none, likely: 0.03...0.06) { chance in
                [finalAnswers.randomElement(using: &chance) ?? .answer(status: 400)]
            },
            ChaosKind("reset before the answer", .unknown, likely: 0.02...0.04) { chance in
                [.resetStream(unknownCodes.randomElement(using: &chance) ?? .cancel)]
            },
            ChaosKind("REFUSED_STREAM", .refused, likely: 0.02...0.2) { _ in [.resetStream(.refusedStream)] },
        ].map { $0.fault(&chance) }
    }

    private static let finalAnswers: [MockFault.Step] = [
        .answer(status: 400, reason: .badDeviceToken),
        .answer(status: 400, reason: .badTopic),
        .answer(status: 410, reason: .unregistered, timestamp: Date(timeIntervalSince1970: 1_700_000_000)),
        .answer(status: 413, reason: .payloadTooLarge),
        .answer(status: 400, reason: "NeverHeardOf"),
        .answer(status: 404, reason: .badPath),
        .answer(status: 301, headers: ["location": "https://127.0.0.1/elsewhere"]),
    ]

    private static let unknownCodes: [MockHTTP2Code] = [
        .cancel, .internalError, .noError, .protocolError, .enhanceYourCalm, .streamClosed,
        MockHTTP2Code(rawValue: 4711),
    ]

    // MARK: Requests

    static let requests: [ChaosKind] = [
        ChaosKind("slow answer", .none, likely: 0.01...0.2) { chance in
            [.wait(.zero, upTo: .milliseconds(Int.random(in: 1...60, using: &chance)))]
        },
        ChaosKind("judged, then reset", .unknown, likely: some) { chance in
            [.judge, .resetStream(unknownCodes.randomElement(using: &chance) ?? .cancel)]
        },
        ChaosKind("reset behind the headers", .none, likely: some) { chance in
            [.resetStream(unknownCodes.randomElement(using: &chance) ?? .cancel, afterHeaders: true)]
        },
        ChaosKind("REFUSED_STREAM behind the headers", .none, likely: some) { _ in
            [.resetStream(.refusedStream, afterHeaders: true)]
        },
        ChaosKind("late REFUSED_STREAM", .refused, likely: some) { _ in
            [.wait(.zero, upTo: .milliseconds(40)), .resetStream(.refusedStream)]
        },
        ChaosKind("late reset", .unknown, likely: some) { _ in
            [.wait(.zero, upTo: .milliseconds(40)), .resetStream(.cancel)]
        },
    ]

    // MARK: Answers

    static let answers: [ChaosKind] = [
        ChaosKind("429", .none, likely: some) { _ in [.answer(status: 429, reason: .tooManyRequests)] },
        ChaosKind("500", .none, likely: some) { _ in [.answer(status: 500, reason: .internalServerError)] },
        ChaosKind("503", .none, likely: 0.005...0.1) { _ in [.answer(status: 503, reason: .serviceUnavailable)] },
        ChaosKind("503, retry-after", .none, likely: few) { chance in
            let values = ["0", "1", "soon", "Thu, 01 Jan 1970 00:00:00 GMT", "86400"]
            let value = values.randomElement(using: &chance) ?? "0"
            return [.answer(status: 503, reason: .serviceUnavailable, headers: ["retry-after": value])]
        },
        ChaosKind("IdleTimeout", .none, likely: few) { _ in [.answer(status: 400, reason: .idleTimeout)] },
        ChaosKind("ExpiredProviderToken", .none, likely: few, times: 3) { _ in
            [.answer(status: 403, reason: .expiredProviderToken)]
        },
        ChaosKind("TooManyProviderTokenUpdates", .none, likely: few) { _ in
            [.answer(status: 429, reason: .tooManyProviderTokenUpdates)]
        },
        ChaosKind("strange body", .none, likely: some) { chance in
            let bodies = ["", "<html>", #"{"reason":"#, #"{"reason":7}"#, String(repeating: "y", count: 100_000)]
            return [.answer(status: 400, body: bodies.randomElement(using: &chance).map(MockFault.Bytes.text))]
        },
        ChaosKind("wrong content-length", .malformed, likely: some) { _ in
            [.answer(status: 200, headers: ["content-length": "77"], body: "too short")]
        },
        ChaosKind("Shutdown", .none, likely: few) { _ in
            [.answer(status: 503, reason: .shutdown), .goAway(.newest, reason: .shutdown)]
        },
    ]

    /// From some time on for nearly everything, so that several come in a row.
    static let refusedCredentials = ChaosKind(
        "InvalidProviderToken", .none, likely: 0.9...1, begins: 1...400
    ) { _ in [.answer(status: 403, reason: .invalidProviderToken)] }

    // MARK: GOAWAY

    static let goingBack: [ChaosKind] = [
        ChaosKind("GOAWAY below", .refused, likely: few) { chance in [goAway(.below, &chance)] },
        ChaosKind("GOAWAY none", .refused, likely: few) { chance in [goAway(.none, &chance)] },
        ChaosKind("GOAWAY this", .none, likely: few) { chance in [goAway(.this, &chance)] },
        ChaosKind("GOAWAY twice, back", .none, likely: few) { chance in
            [goAway(.highest, &chance), .wait(.milliseconds(10)), .goAway(.this)]
        },
        ChaosKind("GOAWAY none, then an end", .connection, likely: few) { chance in
            [.goAway(.none), .closeConnection(MockFault.Closing.allCases.randomElement(using: &chance) ?? .tcpReset)]
        },
        ChaosKind("GOAWAY this, then an end", .connection, likely: few) { chance in
            [.goAway(.this), .closeConnection(MockFault.Closing.allCases.randomElement(using: &chance) ?? .tcpReset)]
        },
    ]

    private static func goAway(_ last: MockFault.Stream, _ chance: inout SeededGenerator) -> MockFault.Step {
        let texts = ["", #"{"reason":"Shutdown"}"#, #"{"reason":"IdleTimeout"}"#, "calm down", "{{{{"]
        let codes: [MockHTTP2Code] = [.noError, .enhanceYourCalm, .internalError]
        return .goAway(
            last, code: codes.randomElement(using: &chance) ?? .noError,
            text: texts.randomElement(using: &chance) ?? "")
    }

    // MARK: Ends

    static let ends: [ChaosKind] =
        MockFault.Closing.allCases.map { how in
            ChaosKind("end: \(how)", .connection, likely: few) { _ in [.closeConnection(how)] }
        }
        + [
            ChaosKind("GOAWAY newest", .none, likely: few) { chance in [goAway(.newest, &chance)] },
            ChaosKind("GOAWAY twice", .none, likely: few) { chance in
                [.goAway(.highest), .wait(.zero, upTo: .milliseconds(30)), goAway(.newest, &chance)]
            },
            ChaosKind("GOAWAY newest, then an end", .connection, likely: few) { chance in
                [
                    .goAway(.newest),
                    .closeConnection(MockFault.Closing.allCases.randomElement(using: &chance) ?? .tcpReset),
                ]
            },
            ChaosKind("judged, then an end", .connection, likely: few) { chance in
                [.judge, .closeConnection(MockFault.Closing.allCases.randomElement(using: &chance) ?? .tcpReset)]
            },
            ChaosKind("answered, then an end", .connection, likely: few) { chance in
                [
                    .answer(status: 410, reason: .unregistered),
                    .closeConnection(MockFault.Closing.allCases.randomElement(using: &chance) ?? .tcpReset),
                ]
            },
        ]

    // MARK: Settings

    static let settings: [ChaosKind] = [
        ChaosKind("streams lowered", .none, likely: few) { chance in
            let streams = UInt32.random(in: 1...20, using: &chance)
            return [.settings(maxConcurrentStreams: streams)]
        },
        ChaosKind("no streams for a while", .none, likely: few) { _ in
            [
                .settings(maxConcurrentStreams: 0), .wait(.zero, upTo: .milliseconds(50)),
                .settings(maxConcurrentStreams: 100),
            ]
        },
        ChaosKind("window closed for a while", .none, likely: few) { _ in
            [
                .settings(MockFault.Settings(initialWindowSize: 0)), .wait(.zero, upTo: .milliseconds(50)),
                .settings(MockFault.Settings(initialWindowSize: 65_535)),
            ]
        },
        ChaosKind("small window", .none, likely: few) { chance in
            [.settings(MockFault.Settings(initialWindowSize: UInt32.random(in: 1...500, using: &chance)))]
        },
        ChaosKind("other settings", .none, likely: few) { chance in
            [
                .settings(
                    MockFault.Settings(
                        maxFrameSize: UInt32.random(in: 16_384...100_000, using: &chance),
                        headerTableSize: UInt32.random(in: 0...8000, using: &chance)))
            ]
        },
    ]

    // MARK: Openings

    static let openings: [ChaosKind] = [
        ChaosKind("late SETTINGS", .none, at: .connectionEstablished, likely: 0.2...0.5) { _ in
            [.wait(.zero, upTo: .milliseconds(60))]
        },
        ChaosKind("no streams at first", .none, at: .connectionEstablished, likely: 0.2...0.5) { _ in
            [
                .settings(maxConcurrentStreams: 0), .wait(.zero, upTo: .milliseconds(60)),
                .settings(maxConcurrentStreams: 40),
            ]
        },
        ChaosKind("GOAWAY at first", .none, at: .connectionEstablished, likely: 0.2...0.5, times: 3) { _ in
            [.goAway(.none)]
        },
        ChaosKind("end at once", .connection, at: .connectionEstablished, likely: 0.2...0.5, times: 3) { chance in
            [.closeConnection(MockFault.Closing.allCases.randomElement(using: &chance) ?? .tcpReset)]
        },
        ChaosKind("end after a while", .connection, at: .connectionEstablished, likely: 0.2...0.5, times: 5) { chance in
            [
                .settings(maxConcurrentStreams: 100), .wait(.zero, upTo: .milliseconds(100)),
                .closeConnection(MockFault.Closing.allCases.randomElement(using: &chance) ?? .tcpReset),
            ]
        },
        ChaosKind("end before TLS", .connection, at: .connectionAccepted, likely: 0.2...0.5, times: 3) { chance in
            [.closeConnection(chance.oneIn(2) ? .tcpReset : .tcpClosed)]
        },
        ChaosKind("slow TLS", .none, at: .connectionAccepted, likely: 0.2...0.5) { _ in
            [.wait(.zero, upTo: .milliseconds(60))]
        },
    ]

    static let stalledOpenings: [ChaosKind] = [
        ChaosKind("no SETTINGS", .none, at: .connectionEstablished, likely: 0.2...0.5, times: 1) { _ in [.noAnswer] },
        ChaosKind("no TLS", .none, at: .connectionAccepted, likely: 0.2...0.5, times: 1) { _ in [.noAnswer] },
    ]

    // MARK: Judged before the end is decided

    static let judgedAhead: [ChaosKind] = [
        ChaosKind("judged, reset late", .unknown, likely: some) { _ in
            [.judge, .wait(.zero, upTo: .milliseconds(40)), .resetStream(.internalError)]
        },
        ChaosKind("judged, answered late", .none, likely: some) { _ in
            [.judge, .wait(.zero, upTo: .milliseconds(40))]
        },
        ChaosKind("judged, ended late", .connection, likely: few) { _ in
            [.judge, .wait(.zero, upTo: .milliseconds(40)), .closeConnection(.tcpReset)]
        },
    ]

    static let unanswered: [ChaosKind] = [
        ChaosKind("no answer", .unanswered, likely: few) { _ in [.noAnswer] },
        ChaosKind("judged, no answer", .unanswered, likely: few) { _ in [.judge, .noAnswer] },
        ChaosKind("silence", .unanswered, likely: few, times: 2) { _ in [.fallSilent] },
        ChaosKind("reads nothing", .unanswered, likely: few, times: 2) { _ in [.stopReading] },
        ChaosKind("windows withheld", .unanswered, likely: few) { _ in [.withhold([.windowUpdates])] },
    ]
}
