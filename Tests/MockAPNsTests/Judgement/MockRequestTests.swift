import APNSVocabulary
import MockAPNs
import Testing

@Suite struct MockRequestTests {
    @Test func `each header finds its place, the first value stays`() {
        let request = MockRequest(
            method: "POST",
            path: "/3/device/abcd",
            fields: [
                .init("apns-id", "1"), .init("apns-topic", "2"), .init("apns-push-type", "voip"),
                .init("apns-priority", "4"), .init("apns-expiration", "5"), .init("apns-collapse-id", "6"),
                .init("authorization", "7"), .init("apns-priority", "8"), .init("apns-id", "9"),
            ],
            body: [1, 2]
        )
        #expect(request.id == "1")
        #expect(request.topic == "2")
        #expect(request.pushType == .voip)
        #expect(request.priority == "4")
        #expect(request.expiration == "5")
        #expect(request.collapseID == "6")
        #expect(request.authorization == "7")
        #expect(request.repeatedHeader == "apns-priority")
        #expect(request.target == .device("abcd"))
        #expect(request.bodyByteCount == 2)
    }

    @Test(arguments: [
        ("/3/device/ab", MockRequest.Target.device("ab")), ("/3/device/", .device("")), ("/3/device", .device("")),
        ("/3/device?x", .unknown), ("/3/devices", .unknown), ("/3/device/a/b", .unknown), ("//3/device/a", .unknown),
        ("", .unknown), ("*", .unknown), ("/4/broadcasts/apps/com.example.app", .broadcast(app: "com.example.app")),
        ("/1/apps/b/channels", .channels(app: "b")), ("/1/apps/b/all-channels", .allChannels(app: "b")),
        ("/1/apps//channels", .unknown), ("/4/broadcasts/apps/", .unknown), ("/1/apps/b/channels/", .unknown),
    ])
    func `a path is read`(path: String, target: MockRequest.Target) {
        #expect(MockRequest.Target(path: path) == target)
    }

    @Test func `a mistyped path does not tell its token`() {
        let detail = Trial { $0.path = "/3/devices/\(Trial.hex)" }.verdict.detail
        #expect(detail == #"The path is "/3/devices/0f0f0f0f…0f0f"."#)
    }
}
