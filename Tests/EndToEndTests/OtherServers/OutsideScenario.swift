import PushProvider
import Testing

/// What an outside server does, and what must become of pushes to it.
struct OutsideScenario: Sendable, CustomTestStringConvertible {
    var words: String
    var plan: String
    var pushes = 6
    /// The text of each push.
    var text = "Hello"
    var guarantee = PushConfiguration.RetryPolicy.Guarantee.atMostOnce
    var expected = ["accepted": 6]
    var connections = 1
    /// What else the server must have seen.
    var also: @Sendable (OutsideLog) throws -> Void = { _ in }

    var testDescription: String { words }

    static let all = streams + answers + connections
}

extension OutsideScenario {
    private static let streams: [OutsideScenario] = [
        OutsideScenario(
            words: "two hundred pushes to a server as it should be", plan: "{}", pushes: 200,
            expected: ["accepted": 200], also: { #expect($0.requests.count == 200) }),
        OutsideScenario(
            words: "one stream at a time, a thousand after the fifth",
            plan: """
                {"settings": {"3": 1}, "rules": [{"from": 5, "do": [["settings", {"3": 1000}], ["answer", 200, ""]]}]}
                """, pushes: 100, expected: ["accepted": 100],
            also: { #expect($0.requests.prefix(5).map(\.open) == [1, 1, 1, 1, 1]) }),
        OutsideScenario(
            words: "three streams at a time", plan: #"{"settings": {"3": 3}}"#, pushes: 50, expected: ["accepted": 50],
            also: { log in #expect(log.requests.allSatisfy { $0.open <= 3 }) }),
        OutsideScenario(
            words: "windows of seven bytes", plan: #"{"settings": {"4": 7}, "window_step": 7}"#,
            text: String(repeating: "x", count: 500),
            also: { log in #expect(Set(log.requests.map(\.size)).count == 1) }),
        OutsideScenario(words: "no table for header fields", plan: #"{"settings": {"1": 0}}"#),
        OutsideScenario(
            words: "streams that are refused",
            plan: """
                {"rules": [{"connection": 1, "from": 2, "through": 4, "do": [["reset", 7]]}]}
                """, also: { #expect($0.requests.count == 9) }),
        OutsideScenario(
            words: "RST after the request was processed", plan: reset,
            expected: [
                "accepted": 4, "unknown: stream_reset": 2,
            ]),
        OutsideScenario(
            words: "RST after the request was processed, at least once", plan: reset, guarantee: .atLeastOnce,
            also: { #expect($0.requests.count == 8) }),
        OutsideScenario(
            words: "RST after the status",
            plan: #"{"rules": [{"from": 3, "do": [["headers", 200], ["wait", 0.05], ["reset", 2]]}]}"#),
    ]

    private static let reset = """
        {"rules": [{"connection": 1, "from": 2, "through": 3, "do": [["process"], ["wait", 0.05], ["reset", 2]]}]}
        """

    private static let answers: [OutsideScenario] = [
        OutsideScenario(
            words: "answers in pieces, with 103 before and trailers behind",
            plan: #"{"rules": [{"from": 2, "through": 5, "do": [["drip", 410, "{\"reason\":\"Unregistered\"}"]]}]}"#,
            expected: ["accepted": 2, "rejected 410 Unregistered": 4]),
        OutsideScenario(
            words: "answers in the opposite order, the first of them late",
            plan: """
                {"rules": [{"from": 2, "through": 19, "do": [["hold"]]},
                           {"from": 20, "do": [["wait", 0.3], ["answer_held_backwards"]]}]}
                """, pushes: 20, expected: ["accepted": 20],
            also: { #expect($0.requests.map(\.open).max() == 19) }),
        OutsideScenario(
            words: "answers without any field", plan: #"{"rules": [{"from": 1, "through": 6, "do": [["bare"]]}]}"#),
        OutsideScenario(
            words: "a server that cannot take it now",
            plan: #"{"rules": [{"from": 1, "through": 4, "do": [["answer", 503, ""]]}]}"#,
            also: { #expect($0.requests.count == 10) }),
    ]

    private static let connections: [OutsideScenario] = [
        OutsideScenario(
            words: "SETTINGS late", plan: #"{"settings_delay": 0.3}"#,
            also: { #expect($0.words.first == "settings") }),
        OutsideScenario(
            words: "GOAWAY that leaves some out",
            plan: """
                {"rules": [{"connection": 1, "from": 3, "do": [["go_away", "below", 0, "{\\"reason\\":\\"Shutdown\\"}"]]}]}
                """, connections: 2,
            also: { #expect($0.requests.count { $0.connection == 2 } == 4) }),
        OutsideScenario(
            words: "GOAWAY in two steps",
            plan: """
                {"rules": [{"connection": 1, "from": 2, "through": 5, "do": [["hold"]]},
                           {"connection": 1, "from": 6, "do": [
                    ["go_away", "highest", 0, ""], ["wait", 0.1], ["go_away", 11, 0, ""], ["answer_held_backwards"]]}]}
                """, also: { #expect($0.requests.count == 6) }),
        OutsideScenario(
            words: "GOAWAY with ENHANCE_YOUR_CALM, and the end at once", plan: goAwayAndEnd,
            expected: [
                "accepted": 4, "unknown: connection_lost": 2,
            ], connections: 2),
        OutsideScenario(
            words: "GOAWAY with ENHANCE_YOUR_CALM, and the end at once, at least once", plan: goAwayAndEnd,
            guarantee: .atLeastOnce, connections: 2),
        OutsideScenario(
            words: "a connection that dies with five in flight", plan: death,
            expected: [
                "accepted": 1, "unknown: connection_lost": 5,
            ]),
        OutsideScenario(
            words: "a connection that dies with five in flight, at least once", plan: death, guarantee: .atLeastOnce,
            connections: 2, also: { #expect($0.requests.count == 11) }),
    ]

    /// Streams 3 and 5 may have been processed, those above not.
    private static let goAwayAndEnd = """
        {"rules": [{"connection": 1, "from": 2, "through": 3, "do": [["process"], ["hold"]]},
                   {"connection": 1, "from": 4, "do": [["go_away", 5, 11, "calm"], ["close"]]}]}
        """

    private static let death = """
        {"rules": [{"connection": 1, "from": 2, "through": 5, "do": [["process"], ["hold"]]},
                   {"connection": 1, "from": 6, "do": [["process"], ["abort"]]}]}
        """
}
