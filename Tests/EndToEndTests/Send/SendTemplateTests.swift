import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct SendTemplateTests {
    /// A template, and the headers that follow from it.
    struct Kind: Sendable, CustomTestStringConvertible {
        var name: String
        var type = "alert"
        var suffix = ""
        var priority: JSON = "10"
        var expiration: JSON?

        var testDescription: String { name }
    }

    static let kinds: [Kind] = [
        Kind(name: "alert"), Kind(name: "rich"), Kind(name: "candid"), Kind(name: "custom-interface"),
        Kind(name: "actions"), Kind(name: "update"), Kind(name: "grouped"), Kind(name: "localized"),
        Kind(name: "critical"), Kind(name: "time-sensitive"), Kind(name: "passive"),
        Kind(name: "background", type: "background", priority: "5"),
        Kind(name: "live-activity-start", type: "liveactivity", suffix: ".push-type.liveactivity"),
        Kind(name: "live-activity-start-channel", type: "liveactivity", suffix: ".push-type.liveactivity"),
        Kind(name: "live-activity-update", type: "liveactivity", suffix: ".push-type.liveactivity"),
        Kind(name: "live-activity-end", type: "liveactivity", suffix: ".push-type.liveactivity"),
        Kind(name: "location", type: "location", suffix: ".location-query"),
        Kind(name: "widget", type: "widgets", suffix: ".push-type.widgets", priority: .null),
        Kind(name: "controls", type: "controls", suffix: ".push-type.controls", expiration: "0"),
        Kind(name: "accessory", type: "accessory", suffix: ".push-type.accessory", priority: .null),
        Kind(name: "voip", type: "voip", suffix: ".voip"),
        Kind(name: "complication", type: "complication", suffix: ".complication"),
        Kind(name: "pushtotalk", type: "pushtotalk", suffix: ".voip-ptt", expiration: "0"),
        Kind(name: "pushtotalk-service-update", type: "pushtotalk", suffix: ".voip-ptt", expiration: "0"),
        Kind(name: "fileprovider", type: "fileprovider", suffix: ".pushkit.fileprovider", priority: "5"),
        Kind(name: "mdm", type: "mdm"), Kind(name: "wallet"), Kind(name: "safari"),
    ]

    @Test func `every template is sent, and push type, topic and priority follow from it`() async throws {
        try await RunningMock.with { mock in
            for (index, kind) in Self.kinds.enumerated() {
                let ended = try await mock.send("--template", kind.name)
                #expect(ended.status == 0, "\(kind.name): \(ended.errors)")
                let line = try await mock.request(index + 1)
                #expect(line["status"] == 200)
                #expect(line["push_type"] == .string(kind.type))
                #expect(line["topic"] == .string(RunningMock.topic + kind.suffix))
                #expect((line["priority"] ?? .null) == kind.priority, "\(kind.name)")
                // What send says about the priority is what it sends.
                #expect(ended.errors.contains("without a priority") == (kind.priority == .null), "\(ended.errors)")
                #expect((line["expiration"] ?? .null) == (kind.expiration ?? .null), "\(kind.name)")
            }
        }
    }

    @Test func `the list has every template, and needs neither key nor token`() async throws {
        let ended = try await Workspace().pushsend("send", "--template", "list")
        #expect(ended.status == 0)
        let names = ended.output.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names.sorted() == Self.kinds.map(\.name).sorted())
    }

    @Test func `flags change the template, and headers of its own are sent`() async throws {
        try await RunningMock.with { mock in
            #expect(try await mock.send("--template", "update", "-m", "Goal in minute 80.").status == 0)
            let line = try await mock.request(1)
            #expect(line["collapse_id"] == "match-4711")
            let payload = JSON(parsing: line["payload"]?.string ?? "")
            #expect(payload["aps"]?["alert"]?["body"] == "Goal in minute 80.")
            #expect(payload["aps"]?["alert"]?["title"] == "Rovers 2 : 1 United")
            #expect(try await mock.send("--template", "update", "--collapse-id", "mine").status == 0)
            #expect(try await mock.request(2)["collapse_id"] == "mine")
        }
    }

    @Test func `a Live Activity carries the time of the send`() async throws {
        try await RunningMock.with { mock in
            let before = Int(Date().timeIntervalSince1970)
            #expect(try await mock.send("--template", "live-activity-update").status == 0)
            let aps = JSON(parsing: try await mock.request(1)["payload"]?.string ?? "")["aps"]
            let timestamp = try #require(aps?["timestamp"]?.integer)
            #expect((before...Int(Date().timeIntervalSince1970)).contains(timestamp))
            #expect(aps?["stale-date"]?.integer == timestamp + 600)
        }
    }

    @Test func `a repeated template counts, and stays what it is`() async throws {
        try await RunningMock.with { mock in
            let ended = try await mock.send("--template", "live-activity-end", "--repeat", "2", "--every", "1ms")
            #expect(ended.status == 0, "\(ended.errors)")
            for number in 1...2 {
                let line = try await mock.request(number)
                #expect(line["push_type"] == "liveactivity")
                #expect(line["payload"]?.string?.contains("at your door. (\(number))") == true)
            }
        }
    }

    @Test func `--dry-run and --as-curl show what follows from the template`() async throws {
        try await RunningMock.with { mock in
            let dry = try await mock.send("--template", "location", "--dry-run")
            #expect(dry.status == 0)
            #expect(dry.output.contains("apns-topic: com.example.app.location-query\napns-push-type: location\n"))
            let curl = try await mock.send("--template", "widget", "--as-curl")
            #expect(curl.output.contains("apns-topic: com.example.app.push-type.widgets"))
            #expect(!curl.output.contains("apns-priority"))
        }
    }

    @Test(arguments: [
        (["--template", "alret"], ["did you mean alert?", "live-activity-start"]),
        (["--template", "voip", "-m", "x"], ["-m", "voip", "-d"]),
        (["--template", "alert", "--payload", "{}"], ["--payload", "--template"]),
    ])
    func `what does not go together is refused`(flags: [String], words: [String]) async throws {
        let requests = try await RunningMock.with { mock in
            let ended = try await mock.send(flags)
            expectRefusal(ended, 64)
            for word in words { #expect(ended.errors.contains(word), "\(ended.errors)") }
        }
        #expect(requests.isEmpty)
    }

    @Test func `a template is not sent as another kind`() async throws {
        let requests = try await RunningMock.with { mock in
            let ended = try await mock.send("--template", "location", "--push-type", "alert")
            #expect(ended.status == 65)
            #expect(ended.errors.contains("built for push type location"))
        }
        #expect(requests.isEmpty)
    }
}
