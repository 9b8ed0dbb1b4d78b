import TestSupport
import Testing

@testable import PushProvider

/// When a sequence whose tokens do not fit the setup is stopped, by itself.
@Suite struct MismatchWatchTests {
    /// Where it stops, and with what; `nil` when it never does.
    private func stop(
        _ answers: some Sequence<MismatchWatch.Answer>, by breaker: PushConfiguration.MismatchBreaker = .standard
    ) -> (index: Int, result: MismatchWatch.Result)? {
        var watch = MismatchWatch(breaker)
        for (index, answer) in answers.enumerated() {
            if let result = watch.answered(answer) { return (index, result) }
        }
        return nil
    }

    @Test func `a wrong environment is noticed with the hundredth answer`() throws {
        let stop = try #require(self.stop(repeatElement(.badDeviceToken, count: 1000)))
        #expect(stop.index == 99)
        #expect(stop.result == .init(reason: .badDeviceToken, mismatches: 100, answers: 100))
    }

    @Test func `who tries out a few wrong tokens is not stopped`() {
        #expect(stop(repeatElement(.badDeviceToken, count: 99)) == nil)
    }

    @Test(arguments: [1, 2, 3, 4, 5])
    func `a list of which every second token is wrong is sent whole, in any order`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var answers = repeatElement(MismatchWatch.Answer.badDeviceToken, count: 100_000) + []
        answers += repeatElement(.fits, count: 100_000)
        answers.shuffle(using: &generator)
        #expect(stop(answers) == nil)
    }

    @Test func `a list that becomes wrong later is stopped then`() throws {
        let answers = repeatElement(MismatchWatch.Answer.fits, count: 5000) + []
        let stop = try #require(self.stop(answers + repeatElement(.notForTopic, count: 1000)))
        #expect(stop.index == 5079)
        #expect(stop.result == .init(reason: .deviceTokenNotForTopic, mismatches: 80, answers: 100))
    }

    @Test(arguments: [
        (0.8, 10, 8), (0.75, 10, 8), (1, 3, 3), (0.07, 100, 7), (0.000_001, 5, 1), (1, 1, 1), (0.5, 1, 1),
        (0.3, 1_000_000, 300_000),
    ])
    func `the share of the window is what it takes`(share: Double, window: Int, enough: Int) {
        let breaker = PushConfiguration.MismatchBreaker(share: share, window: window)
        #expect(breaker.enough == enough)
        let fitting = repeatElement(MismatchWatch.Answer.fits, count: window - enough) + []
        #expect(stop(fitting + repeatElement(.notForTopic, count: enough - 1), by: breaker) == nil)
        #expect(stop(fitting + repeatElement(.notForTopic, count: enough), by: breaker)?.index == window - 1)
    }

    @Test func `the most frequent word is named`() throws {
        let breaker = PushConfiguration.MismatchBreaker(share: 1, window: 5)
        let answers: [MismatchWatch.Answer] = [
            .badDeviceToken, .notForTopic, .badDeviceToken, .notForTopic, .notForTopic,
        ]
        #expect(stop(answers, by: breaker)?.result.reason == .deviceTokenNotForTopic)
    }

    @Test func `the topic is that of the last one of the most frequent kind`() throws {
        var watch = MismatchWatch(.init(share: 1, window: 4))
        for topic in ["com.example.first", "com.example.second", "com.example.third"] {
            _ = watch.answered(.notForTopic, topic: topic)
        }
        let answer = watch.answered(.badDeviceToken, topic: "com.example.other")
        let result = try #require(answer)
        #expect(result.reason == .deviceTokenNotForTopic)
        #expect(result.topic == "com.example.third")
        let words = PushMismatch(result, topic: "com.example.other", environment: .production).description
        #expect(words.contains("another app than the topic com.example.third,"))
    }

    @Test func `requests that are refused with every token are named by their last reason`() throws {
        var watch = MismatchWatch(.init(share: 1, window: 3))
        _ = watch.answered(.badRequest, reason: .badPriority)
        _ = watch.answered(.badRequest, reason: .badPriority)
        let answer = watch.answered(.badRequest, reason: "404")
        let result = try #require(answer)
        #expect(result.reason == "404")
        let message = PushMismatch(result, topic: nil, environment: .production).description
        #expect(message.contains("The requests themselves are refused, with any device token"))
    }

    @Test func `it stops once`() {
        var watch = MismatchWatch(.init(share: 1, window: 2))
        let results = (0..<10).map { _ in watch.answered(.badDeviceToken) }
        #expect(results.compactMap { $0 }.count == 1)
    }

    /// Held against the plain rule, whatever comes.
    @Test(arguments: 0..<50) func `it counts what the last answers were`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let window = Int.random(in: 1...12, using: &generator)
        let breaker = PushConfiguration.MismatchBreaker(
            share: Double.random(in: 0.1...1, using: &generator), window: window)
        let share = Int.random(in: 1...9, using: &generator)
        let answers = (0..<500).map { _ in
            Int.random(in: 0..<10, using: &generator) < share ? MismatchWatch.Answer.badDeviceToken : .fits
        }
        let expected = answers.indices.first { index in
            index + 1 >= window
                && answers[(index + 1 - window)...index].count { $0 != .fits } >= breaker.enough
        }
        #expect(stop(answers, by: breaker)?.index == expected)
    }

    // MARK: How many are under way

    @Test func `until it is known whether the setup fits, no more than a window are under way`() {
        var watch = MismatchWatch(.standard)
        for _ in 0..<20 {
            #expect(watch.mayBeUnderWay == 100)
            _ = watch.answered(.fits)
        }
        _ = watch.answered(.fits)
        #expect(watch.mayBeUnderWay == .max)
        var other = MismatchWatch(.standard)
        for _ in 0..<79 { _ = other.answered(.badDeviceToken) }
        for _ in 0..<20 { _ = other.answered(.fits) }
        #expect(other.mayBeUnderWay == 100)
        _ = other.answered(.fits)
        #expect(other.mayBeUnderWay == .max)
    }

    // MARK: What an answer says

    static let words: [(PushOutcome.Rejection, MismatchWatch.Answer?)] = [
        (.sample(400, .badDeviceToken), .badDeviceToken),
        (.sample(400, .deviceTokenNotForTopic), .notForTopic),
        (.sample(400, .topicDisallowed), nil), (.sample(400, .badPriority), .badRequest), (.sample(404), .badRequest),
        (.sample(410, .unregistered), .fits), (.sample(410, .expiredToken), .fits), (.sample(410), .fits),
        (.sample(400, .badTopic), nil), (.sample(413, .payloadTooLarge), .badRequest),
        (.sample(429, .tooManyRequests), nil),
        (.sample(503, .serviceUnavailable), nil), (.sample(403, .invalidProviderToken), nil),
        (.sample(403, .forbidden), nil), (.sample(403), nil),
        (.sample(400), .badRequest),
    ]

    @Test(arguments: words)
    func `dead tokens speak for the setup, and what concerns the sender or the server says nothing`(
        rejection: PushOutcome.Rejection, answer: MismatchWatch.Answer?
    ) {
        #expect(MismatchWatch.Answer(.rejected(rejection)) == answer)
    }
}

@Suite struct PushMismatchTests {
    private func words(
        _ reason: RejectionReason, topic: String? = "com.example.app", _ environment: PushEnvironment
    ) -> String {
        PushMismatch(.init(reason: reason, mismatches: 9, answers: 10), topic: topic, environment: environment)
            .description
    }

    @Test func `the diagnosis names the count, the word, the probable cause and what to do`() {
        let words = words(.badDeviceToken, .sandbox)
        #expect(
            words.hasPrefix("9 of the last 10 answers say that device token and setup don't match, most of them Bad"))
        #expect(words.contains("They were sent to the sandbox"))
        #expect(words.contains("which need production."))
        #expect(words.contains("Keep the device tokens"))
    }

    @Test(arguments: [
        (RejectionReason.badDeviceToken, PushEnvironment.production, "which need the sandbox."),
        (.badDeviceToken, PushEnvironment(host: "mock.example"), "another environment than mock.example:443."),
        (.deviceTokenNotForTopic, .production, "another app than the topic com.example.app,"),
    ])
    func `each cause has its own words`(reason: RejectionReason, environment: PushEnvironment, part: String) {
        #expect(words(reason, environment).contains(part))
    }

    @Test func `refused credentials are reported with the last error`() {
        let words = PushCredentialsRefused(.credentials, unsent: 20, reason: "APNs refuses the credentials").description
        #expect(words.hasPrefix("20 notifications in a row weren't sent because of the credentials: APNs refuses the"))
        #expect(words.contains("the credentials. Nothing more was read"))
        let ofTopics = PushCredentialsRefused(.topicRefused, unsent: 10_000, reason: "no.").description
        #expect(ofTopics.hasPrefix("10000 notifications in a row weren't sent because APNs refuses their topics: no."))
    }

    @Test func `a topic cannot steer a terminal`() {
        #expect(!words(.deviceTokenNotForTopic, topic: "a\u{1B}[2J", .sandbox).contains("\u{1B}"))
    }
}
