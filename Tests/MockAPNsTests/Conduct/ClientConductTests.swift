import PushPlatform
import Testing

@testable import MockAPNs

@Suite struct ClientConductTests {
    private func at(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

    @Test func `the third provider token of a connection within 20 minutes breaks the rule`() {
        var conduct = ConnectionConduct()
        #expect(conduct.newToken(at: at(0)) == nil)
        #expect(conduct.newToken(at: at(100)) == nil)
        #expect(conduct.newToken(at: at(200))?.id == "provider-token-per-push")
        #expect(conduct.newToken(at: at(5000)) == nil)
    }

    @Test func `renewing every half hour breaks no rule`() {
        var conduct = ConnectionConduct()
        var all = ClientConduct()
        for renewal in 0..<50 {
            let now = at(Double(renewal) * 1800)
            #expect(conduct.newToken(at: now) == nil)
            #expect(all.newToken(ofKey: "K", issuedAt: now, at: now) == nil)
        }
    }

    @Test func `a new token for each connection is noticed over all connections`() {
        var conduct = ClientConduct()
        let found = (0..<20).map { conduct.newToken(ofKey: "K", issuedAt: at(Double($0)), at: at(Double($0))) != nil }
        #expect(found == (0..<20).map { $0 >= 10 })
        #expect(conduct.newToken(ofKey: "OTHER", issuedAt: at(30), at: at(30)) == nil)
    }

    @Test func `a connection for each request is noticed`() {
        var conduct = ClientConduct()
        let found = (0..<5).map { conduct.connectionEnded(requests: 1, at: at(Double($0)))?.id }
        #expect(found == [nil, nil, nil, "connection-per-push", "connection-per-push"])
        #expect(conduct.connectionEnded(requests: 10, at: at(6)) == nil)
        #expect(conduct.connectionEnded(requests: 1, at: at(7)) == nil)
    }

    @Test func `single pushes now and then break no rule`() {
        var conduct = ClientConduct()
        for number in 0..<10 { #expect(conduct.connectionEnded(requests: 1, at: at(Double(number) * 100)) == nil) }
    }

    @Test func `a rejected device token is remembered, in any letter case, for a while`() {
        var conduct = ClientConduct()
        #expect(conduct.rejected(deviceToken: "AB") == nil)
        #expect(conduct.rejected(deviceToken: "ab")?.id == "push-after-rejected-token")
        for number in 0..<ClientConduct.memory { _ = conduct.rejected(deviceToken: "\(number)x") }
        #expect(conduct.rejected(deviceToken: "ab") == nil)
    }

    @Test func `one provider token on many connections breaks no rule`() {
        var conduct = ClientConduct()
        for second in 0..<50 {
            #expect(conduct.newToken(ofKey: "K", issuedAt: at(0), at: at(Double(second))) == nil)
        }
    }
}
