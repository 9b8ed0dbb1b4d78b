import APNSVocabulary
import Testing

@testable import MockAPNs

@Suite struct StreamAllowanceTests {
    private static func verdict(_ reason: RejectionReason? = nil) -> MockVerdict {
        MockVerdict(status: reason?.explanation?.status ?? 200, reason: reason, messageID: "", fact: .accepted)
    }

    @Test func `the first accepted request raises the limit, once`() {
        var allowance = StreamAllowance(announced: 1)
        let variants = MockVariants()
        #expect(
            allowance.requestJudged(Self.verdict(), isAuthenticated: true, under: variants) == [.announce(1000)])
        #expect(allowance.requestJudged(Self.verdict(), isAuthenticated: true, under: variants) == [])
        #expect(allowance.announced == 1000)
    }

    @Test func `a rejection before authentication leaves the limit`() {
        var allowance = StreamAllowance(announced: 1)
        let actions = allowance.requestJudged(
            Self.verdict(.invalidProviderToken), isAuthenticated: false, under: MockVariants())
        #expect(actions == [])
    }

    @Test func `with a certificate the high limit holds from the start`() {
        var allowance = StreamAllowance(announced: 1)
        allowance.connectionEstablished(isAuthenticated: true, under: MockVariants())
        #expect(allowance.announced == 1000)
    }

    @Test func `a rejection lowers the limit to one, and the next acceptance restores it`() {
        var allowance = StreamAllowance(announced: 1000)
        var variants = MockVariants()
        variants.fallsToOneStream = true
        let rejected = Self.verdict(.badDeviceToken)
        #expect(allowance.requestJudged(rejected, isAuthenticated: true, under: variants) == [.announce(1)])
        #expect(allowance.requestJudged(rejected, isAuthenticated: true, under: variants) == [])
        #expect(
            allowance.requestJudged(Self.verdict(), isAuthenticated: true, under: variants) == [.announce(1000)])
    }

    @Test func `too many rejections end the connection: BadDeviceToken counts twice, and 410 does not count`() {
        var allowance = StreamAllowance(announced: 1000)
        var variants = MockVariants()
        variants.errorsBeforeGoAway = 4
        func judged(_ reason: RejectionReason?) -> [StreamAllowance.Action] {
            allowance.requestJudged(Self.verdict(reason), isAuthenticated: true, under: variants)
        }
        #expect(judged(.badDeviceToken) == [])
        #expect(judged(.unregistered) == [])
        #expect(judged(nil) == [])
        #expect(judged(.badTopic) == [])
        #expect(judged(.badTopic) == [.goAway])
        #expect(judged(.badTopic) == [])
    }
}
