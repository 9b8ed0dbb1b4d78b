import APNSVocabulary
import PushPlatform
import Testing

@testable import MockAPNs

@Suite struct ClientBehaviourTests {
    private func at(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

    @Test func `the third provider token of a connection within 20 minutes breaks the rule`() {
        var behaviour = ConnectionBehaviour()
        #expect(behaviour.newToken("a", at: at(0)) == nil)
        #expect(behaviour.newToken("b", at: at(100)) == nil)
        #expect(behaviour.newToken("a", at: at(150)) == nil)
        #expect(behaviour.newToken("c", at: at(200))?.id == "provider-token-per-push")
        #expect(behaviour.newToken("d", at: at(5000)) == nil)
    }

    @Test func `renewing every half hour breaks no rule`() {
        var behaviour = ConnectionBehaviour()
        var all = ClientBehaviour()
        for renewal in 0..<50 {
            let now = at(Double(renewal) * 1800)
            #expect(behaviour.newToken("\(renewal)", at: now) == nil)
            #expect(all.newToken(ofKey: "K", issuedAt: now, at: now) == nil)
        }
    }

    @Test func `a new token for each connection is noticed over all connections`() {
        var behaviour = ClientBehaviour()
        let found = (0..<20).map { behaviour.newToken(ofKey: "K", issuedAt: at(Double($0)), at: at(Double($0))) != nil }
        #expect(found == (0..<20).map { $0 >= 10 })
        #expect(behaviour.newToken(ofKey: "OTHER", issuedAt: at(30), at: at(30)) == nil)
    }

    @Test func `a connection for each request is noticed`() {
        var behaviour = ClientBehaviour()
        let found = (0..<5).map { behaviour.connectionEnded(requests: 1, at: at(Double($0)))?.id }
        #expect(found == [nil, nil, nil, "connection-per-push", "connection-per-push"])
        #expect(behaviour.connectionEnded(requests: 10, at: at(6)) == nil)
        #expect(behaviour.connectionEnded(requests: 1, at: at(7)) == nil)
    }

    @Test func `single pushes now and then break no rule`() {
        var behaviour = ClientBehaviour()
        for number in 0..<10 { #expect(behaviour.connectionEnded(requests: 1, at: at(Double(number) * 100)) == nil) }
    }

    @Test func `a rejected device token is remembered, in any letter case, for a while`() {
        var behaviour = ClientBehaviour()
        #expect(behaviour.rejected(deviceToken: "AB") == nil)
        #expect(behaviour.rejected(deviceToken: "ab")?.id == "push-after-rejected-token")
        for number in 0..<ClientBehaviour.memory { _ = behaviour.rejected(deviceToken: "\(number)x") }
        #expect(behaviour.rejected(deviceToken: "ab") == nil)
    }

    @Test func `one provider token on many connections breaks no rule`() {
        var behaviour = ClientBehaviour()
        for second in 0..<50 {
            #expect(behaviour.newToken(ofKey: "K", issuedAt: at(0), at: at(Double(second))) == nil)
        }
    }
}
