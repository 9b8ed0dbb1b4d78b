import Testing

@testable import PushProvider

/// What most acceptances do not have is behind one reference, which nobody notices.
struct PushAcceptanceTests {
    private static let plain = PushOutcome.Acceptance(apnsID: "a")

    @Test func `the console's id can be set and removed`() {
        var acceptance = Self.plain
        acceptance.uniqueID = "u"
        #expect(acceptance.uniqueID == "u")
        #expect(acceptance == PushOutcome.Acceptance(apnsID: "a", uniqueID: "u"))
        #expect(acceptance != Self.plain)
        acceptance.uniqueID = nil
        #expect(acceptance == Self.plain)
        #expect(acceptance.hashValue == Self.plain.hashValue)
    }

    @Test func `a copy keeps its own id`() {
        let first = PushOutcome.Acceptance(apnsID: "a", uniqueID: "1")
        var second = first
        second.uniqueID = "2"
        #expect(first.uniqueID == "1")
    }

    @Test func `the id and the answer about a channel do not replace each other`() {
        var acceptance = Self.plain
        acceptance.reply = PushOutcome.Acceptance.Reply(channelID: "c", body: [1])
        acceptance.uniqueID = "u"
        #expect(acceptance.reply?.channelID == "c")
        acceptance.reply = nil
        #expect(acceptance.uniqueID == "u")
    }
}
