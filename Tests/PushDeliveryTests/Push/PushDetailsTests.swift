import APNSVocabulary
import PushDelivery
import PushPlatform
import PushQueue
import Testing

struct PushDetailsTests {
    @Test func `details survive the way through the queue`() throws {
        var details = PushDetails()
        details.topic = "com.example.app"
        details.defaultTopic = "com.example.\"other\""
        details.pushType = .background
        details.priority = .powerAware
        details.collapseID = "score \"7\""
        details.registeredAt = Date(timeIntervalSince1970: 1_700_000_000.125)
        details.once = true
        details.sender = 51_234
        #expect(PushDetails(encoded: details.encoded) == details)
    }

    @Test func `the usual details need no bytes`() {
        #expect(PushDetails().encoded.isEmpty)
        var ofKey = PushDetails()
        ofKey.sender = 7
        #expect(ofKey.encoded == Array(#"{"by":7}"#.utf8) && PushDetails(encoded: ofKey.encoded) == ofKey)
        #expect(PushDetails(encoded: []) == PushDetails())
        ofKey.defaultTopic = "com.example.app"
        #expect(ofKey.encoded == Array(#"{"app_topic":"com.example.app","by":7}"#.utf8))
        #expect(PushDetails(encoded: ofKey.encoded) == ofKey)
        ofKey.collapseID = "offer"
        #expect(PushDetails(encoded: ofKey.encoded) == ofKey)
    }

    @Test func `details of a push to a person are an array, which older versions do not read`() throws {
        var details = PushDetails()
        details.user = "ann \"1\", [{"
        #expect(PushDetails(encoded: details.encoded) == details)
        #expect(details.encoded.first == UInt8(ascii: "["))
        #expect(PushDetails.user(of: details.encoded) == details.user)
        details.sender = 7
        details.collapseID = "score"
        details.registeredAt = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(PushDetails(encoded: details.encoded) == details)
        #expect(PushDetails.user(of: PushDetails().encoded) == nil)
    }

    @Test func `a dead letter that is sent again keeps its person and its place`() throws {
        let (first, second) = (UUID(), UUID())
        for change in [{ (_: inout PushDetails) in }, { $0.collapseID = "score" }] as [(inout PushDetails) -> Void] {
            var details = PushDetails()
            details.user = "ann"
            change(&details)
            var expected = details
            expected.after = first
            let redriven = RedrivenPush.bytes(details.encoded, after: first)
            #expect(PushDetails(encoded: redriven) == expected)
            #expect(PushDetails(encoded: RedrivenPush.bytes(redriven, after: second)) == expected)
        }
    }

    @Test func `bytes that are no details are not read`() {
        #expect(PushDetails(encoded: Array(#"["ann"]"#.utf8)) == nil)
        #expect(PushDetails(encoded: Array(#"["ann",[]]"#.utf8)) == nil)
        #expect(PushDetails(encoded: Array("[1]".utf8)) == nil)
        #expect(PushDetails(encoded: Array("{".utf8)) == nil)
    }
}
