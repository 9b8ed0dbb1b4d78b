import PushProvider
import Testing

@testable import pushsend

@Suite struct ExplanationTableTests {
    @Test(arguments: [
        ("BadDeviceToken", "BadDeviceToken"),
        ("baddevicetoken", "BadDeviceToken"),
        ("bad device token", "BadDeviceToken"),
        ("BAD_DEVICE_TOKEN", "BadDeviceToken"),
        (#"{"reason":"TopicDisallowed"}"#, "TopicDisallowed"),
        ("rejected  410 Unregistered  apns-id 9a14bc0d-21cf-4b52-b3ca-7a0fef0e5a10  (12 ms)", "Unregistered"),
        ("rejected  418  apns-id 9a14bc0d-21cf-4b52-b3ca-7a0fef0e5a10  (12 ms)", "rejected"),
        ("accepted  apns-id 9a14bc0d-21cf-4b52-b3ca-7a0fef0e5a10  (75 ms)", "accepted"),
        ("HTTP/2 429", "429"),
        ("not sent  no_connection", "no_connection"),
        ("not_sent", "not-sent"),
        ("77", "77"),
        ("sandbox", "environment"),
        ("p12", "certificate"),
        ("jwt", "provider-token"),
        ("nothing arrived", "nothing-arrived"),
    ])
    func `what is typed or pasted finds its explanation`(text: String, word: String) {
        #expect(Explanation.find(text)?.term == word)
    }

    @Test(arguments: ["", "  ", "xyzzy", "2", "99", "-", "ünïcödé"])
    func `what means nothing finds nothing`(text: String) {
        #expect(Explanation.find(text) == nil)
    }

    @Test(arguments: [
        ("BadDeviceTokn", ["BadDeviceToken"]), ("Unregisterd", ["Unregistered"]), ("certficate", ["certificate"]),
        ("411", []), ("xyzzyxyzzy", []), ("abc", []),
    ])
    func `a slip of the keyboard is answered with the nearest words`(typed: String, words: [String]) {
        #expect(Explanation.nearest(to: typed) == words)
    }

    @Test func `a part of several words suggests them, at most three`() {
        #expect(Explanation.nearest(to: "EnvironmentKey").count == 2)
        #expect(Explanation.nearest(to: "token").count == 3)
    }

    @Test func `an unknown word is one line, with the nearest and with the way to the list`() {
        let text = Explanation.unknown("TopicDisalowed")
        #expect(!text.contains("\n"))
        #expect(text.contains("TopicDisallowed?"))
        #expect(text.contains("pushsend explain"))
    }
}
