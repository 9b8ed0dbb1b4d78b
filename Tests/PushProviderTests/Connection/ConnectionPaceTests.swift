import Testing

@testable import PushProvider

@Suite struct ConnectionPaceTests {
    var pace = ConnectionPace()

    @Test mutating func `the first answers are all of the average, later ones a part`() {
        pace.answered(after: .milliseconds(100), now: .at(1))
        #expect(pace.answerTime == .milliseconds(100))
        pace.answered(after: .milliseconds(200), now: .at(2))
        #expect(pace.answerTime == .milliseconds(150))
        for _ in 0..<1000 { pace.answered(after: .milliseconds(300), now: .at(3)) }
        #expect(pace.answerTime > .milliseconds(299))
        #expect(pace.answerTime <= .milliseconds(300))
        #expect(pace.answers == 1002)
    }

    @Test mutating func `the shortest average is kept`() {
        #expect(pace.shortestAnswerTime == nil)
        pace.answered(after: .milliseconds(100), now: .at(1))
        pace.answered(after: .milliseconds(20), now: .at(1))
        #expect(pace.shortestAnswerTime == .milliseconds(60))
        for _ in 0..<1000 { pace.answered(after: .milliseconds(300), now: .at(2)) }
        #expect(pace.shortestAnswerTime == .milliseconds(60))
    }

    @Test mutating func `it has been full since it last had room`() {
        pace.filled(upTo: .window, inFlight: 16, now: .at(1))
        pace.filled(upTo: .streams, inFlight: 20, now: .at(2))
        #expect(pace.fullSince == .at(1))
        #expect(pace.limit == .streams)
        pace.filled(upTo: nil, inFlight: 3, now: .at(3))
        #expect(pace.fullSince == nil)
        pace.filled(upTo: .authentication, inFlight: 1, now: .at(3))
        pace.filled(upTo: nil, inFlight: 3, now: .at(3))
        // What it can carry is still known.
        #expect(pace.maximumCarried == 20)
        pace.filled(upTo: .window, inFlight: 17, now: .at(4))
        #expect(pace.fullSince == .at(4))
        #expect(pace.windowStalls == 2)
    }

    @Test mutating func `it is starved when the window lets nothing out after the last request`() {
        pace.requested(now: .at(5))
        #expect(!pace.isStarved(since: .at(5), now: .at(6)))
        pace.filled(upTo: .window, inFlight: 1, now: .at(5))
        #expect(pace.isStarved(since: .at(5), now: .at(6)))
        #expect(!pace.isStarved(since: .at(4), now: .at(6)))
        // One with little time left says nothing of the window.
        #expect(!pace.isStarved(since: .at(5), now: MonotonicTime.at(5).advanced(by: .milliseconds(900))))
        pace.answered(after: .seconds(1), now: .at(6))
        #expect(!pace.isStarved(since: .at(5), now: .at(8)))
        #expect(pace.isStarved(since: .at(5), now: .at(9)))
        pace.filled(upTo: .streams, inFlight: 1, now: .at(6))
        #expect(!pace.isStarved(since: .at(5), now: .at(6)))
    }
}
