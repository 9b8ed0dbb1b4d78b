import APNSVocabulary
import Testing

@testable import MockAPNs

@Suite struct ConnectionWatchTests {
    private static let second: UInt64 = 1_000_000_000

    private static func watch(_ adjust: (inout MockLimits) -> Void = { _ in }) -> ConnectionWatch {
        var limits = MockLimits()
        (limits.resetsAtOnce, limits.resetsPerSecond) = (10, 2)
        (limits.idleFramesAtOnce, limits.idleFramesPerSecond) = (5, 1)
        adjust(&limits)
        return ConnectionWatch(limits, now: 0)
    }

    @Test func `a burst of resets up to the limit is allowed, and not one more`() {
        var watch = Self.watch()
        #expect(watch.came(resets: 10, idleFrames: 0, at: 0) == nil)
        #expect(watch.came(resets: 1, idleFrames: 0, at: 0)?.limit == .resetsPerSecond)
    }

    @Test func `with each second some are allowed again, and never more than at once`() {
        var watch = Self.watch()
        #expect(watch.came(resets: 10, idleFrames: 0, at: 0) == nil)
        #expect(watch.came(resets: 2, idleFrames: 0, at: Self.second) == nil)
        #expect(watch.came(resets: 10, idleFrames: 0, at: 100 * Self.second) == nil)
        #expect(watch.came(resets: 1, idleFrames: 0, at: 100 * Self.second)?.limit == .resetsPerSecond)
    }

    @Test func `frames without a use are counted by themselves`() {
        var watch = Self.watch()
        #expect(watch.came(resets: 10, idleFrames: 5, at: 0) == nil)
        #expect(watch.came(resets: 0, idleFrames: 1, at: 0)?.limit == .idleFramesPerSecond)
    }

    @Test func `a clock that stops or goes back allows nothing more`() {
        var watch = Self.watch()
        #expect(watch.came(resets: 10, idleFrames: 0, at: 5 * Self.second) == nil)
        #expect(watch.came(resets: 1, idleFrames: 0, at: Self.second) != nil)
    }

    @Test func `what is lifted is not counted`() {
        var watch = Self.watch { $0.resetsPerSecond = nil }
        #expect(watch.came(resets: 1_000_000, idleFrames: 0, at: 0) == nil)
        var lifted = ConnectionWatch(.lifted, now: 0)
        #expect(lifted.came(resets: 1_000_000, idleFrames: 1_000_000, at: 0) == nil)
    }

    @Test func `a stream that is still the oldest at the next look has taken too long`() {
        var watch = Self.watch()
        #expect(watch.checked(unfinished: nil, newest: 1) == nil)
        #expect(watch.checked(unfinished: 3, newest: 3) == nil)
        #expect(watch.checked(unfinished: 5, newest: 9) == nil)
        #expect(watch.checked(unfinished: 7, newest: 9)?.limit == .requestTime)
        #expect(watch.checked(unread: 5) == nil)
        #expect(watch.checked(unread: nil) == nil)
        #expect(watch.checked(unread: 5) == nil)
        #expect(watch.checked(unread: 5)?.limit == .unreadTime)
    }
}

@Suite struct MockLimitTests {
    @Test(arguments: MockLimit.allCases)
    func `going beyond a limit is reported with its name, its value and the way to raise it`(limit: MockLimit) {
        let words = LimitExceeded(limit, in: MockLimits()).text(MockConfiguration())
        #expect(words.contains("\"\(limit.rawValue)\" of this mock is \(limit.text(in: MockLimits()))."))
        #expect(words.contains("Raise MockLimits.\(limit), or "))
        // `lifted` lifts only what is in the way of a load test.
        let isLifted = limit.text(in: .lifted) == "none"
        #expect(words.hasSuffix(isLifted ? "use MockLimits.lifted for a load test." : "set it to nil."))
    }

    @Test(arguments: MockLimit.allCases)
    func `a limit has the name of its property`(limit: MockLimit) {
        #expect(Mirror(reflecting: MockLimits()).children.contains { $0.label == "\(limit)" })
    }

    @Test func `a program can have texts of its own for remedies`() {
        var configuration = MockConfiguration()
        configuration.remedyText = { "remedy: \($0 == .raiseLimit(.requestBytes))" }
        #expect(LimitExceeded(.requestBytes, in: MockLimits()).text(configuration).hasSuffix(". remedy: true"))
    }

    @Test func `each limit has a place of its own`() {
        for limit in MockLimit.allCases {
            var limits = MockLimits()
            limit.lift(in: &limits)
            #expect(limit.text(in: limits) == "none")
            #expect(MockLimit.allCases.filter { $0.text(in: limits) == "none" } == [limit])
        }
    }

    @Test func `lifted for a load test they still bound the size of a request`() {
        let kept = MockLimit.allCases.filter { $0.text(in: .lifted) != "none" }
        #expect(kept == [.headerBytes, .continuations, .requestBytes, .unfinishedBytes, .waitingAnswers, .answerBytes])
    }

    @Test func `times are shown in the form of the option`() {
        var limits = MockLimits()
        limits.requestTime = .milliseconds(1500)
        #expect(MockLimit.requestTime.text(in: limits) == "1500ms")
        limits.requestTime = .seconds(90)
        #expect(MockLimit.requestTime.text(in: limits) == "90s")
    }
}
