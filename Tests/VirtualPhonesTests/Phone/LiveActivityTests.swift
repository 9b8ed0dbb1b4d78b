import APNSVocabulary
import PushPlatform
import Testing

@testable import VirtualPhones

@Suite struct LiveActivityTests {
    private static let profile = """
        "live_activities": [{"type": "DeliveryAttributes", "title": "Order {orderNumber}",
            "line": "{status}, {stopsLeft} stops left", "time": "arrival", "progress": {"left": "stopsLeft", "of": 5}}]
        """

    private static func start(_ more: String = "", timestamp: Int = 100) -> String {
        """
        {"aps":{"timestamp":\(timestamp),"event":"start","attributes-type":"DeliveryAttributes",
        "attributes":{"orderNumber":"42"},"content-state":{"status":"On the way","stopsLeft":5,"arrival":817066440.0},
        "alert":{"title":"Order 42","body":"It leaves."}\(more)}}
        """
    }

    private static func update(_ timestamp: Int, left: Int, event: String = "update", _ more: String = "") -> String {
        """
        {"aps":{"timestamp":\(timestamp),"event":"\(event)","content-state":{"status":"On the way","stopsLeft":\(left)}\
        \(more)}}
        """
    }

    private static func started(_ more: String = "") throws -> Phones {
        var phones = try Phones.withApp(profile)
        phones.receive(.sample(1, start(more), type: .liveactivity))
        return phones
    }

    @Test func `Live Activities are bounded, and the oldest says that the mock has forgotten it`() throws {
        var phones = try Phones.withApp(Self.profile, #""activities":{"starts":null}"#)
        for number in 1...(VirtualPhone.maximumActivities + 1) {
            phones.receive(.sample(number, Self.start(timestamp: 100 + number), type: .liveactivity))
        }
        #expect(try phones.screen().activities.count == VirtualPhone.maximumActivities)
        #expect(try phones.outcome(1).kind == .forgotten)
        #expect(
            try phones.outcome(1).why
                == "The mock keeps the newest 50 Live Activities of a phone. A real phone would keep this one")
    }

    @Test func `a start shows what the profile maps`() throws {
        let phones = try Self.started()
        let activity = try #require(try phones.screen().activities.first)
        #expect(activity.title == "Order 42")
        #expect(activity.line == "On the way, 5 stops left")
        #expect(activity.time == "2026-11-22T18:54:00.000Z")
        #expect(activity.progress == .init(done: 0, whole: 5))
        #expect(activity.isMapped)
        #expect(try phones.outcome(1).text == "Activity started")
        #expect(phones.record(of: 1)?.card?.body == "It leaves.")
    }

    @Test func `without a profile, keys and values are shown`() throws {
        var phones = Phones()
        phones.receive(.sample(1, Self.start(), type: .liveactivity))
        let activity = try #require(try phones.screen().activities.first)
        #expect(!activity.isMapped)
        #expect(activity.fields.map(\.key) == ["status", "stopsLeft", "arrival", "orderNumber"])
    }

    @Test func `a newer update is shown, an older one is ignored`() throws {
        var phones = try Self.started()
        phones.receive(.sample(2, Self.update(200, left: 2), type: .liveactivity))
        #expect(try phones.screen().activities.first?.push == 2)
        #expect(try phones.screen().activities.first?.progress?.done == 3)
        phones.receive(.sample(3, Self.update(150, left: 4), type: .liveactivity))
        #expect(try phones.outcome(3).text == "Activity unchanged")
        #expect(try phones.outcome(3).why?.contains("150 is older than 200") == true)
        #expect(try phones.screen().activities.first?.progress?.done == 3)
    }

    @Test func `an end keeps it on the screen until its dismissal, at most for 4 hours`() throws {
        var phones = try Self.started()
        phones.receive(.sample(2, Self.update(200, left: 0, event: "end"), type: .liveactivity))
        #expect(try phones.screen().activities.first?.isEnded == true)
        #expect(try phones.screen().activities.first?.dismissal == .start.addingTimeInterval(4 * 3600))
        phones.receive(.sample(3, Self.update(300, left: 1), type: .liveactivity))
        #expect(try phones.outcome(3).why == "The Live Activity has ended")
        phones.timePassed(to: .start.addingTimeInterval(4 * 3600))
        #expect(try phones.screen(at: 4 * 3600).activities.isEmpty)
        #expect(try phones.outcome(2).text == "Activity gone")
    }

    @Test func `a dismissal date in the past removes it at once`() throws {
        var phones = try Self.started()
        phones.receive(
            .sample(2, Self.update(200, left: 0, event: "end", #","dismissal-date":1"#), type: .liveactivity))
        #expect(try phones.screen().activities.isEmpty)
        #expect(try phones.outcome(2).why == "Removed immediately")
    }

    @Test func `an update after the end shows nothing, when the activity has left the screen, too`() throws {
        var phones = try Self.started()
        phones.receive(.sample(2, Self.update(200, left: 2), to: "bb", type: .liveactivity))
        let end = Self.update(300, left: 0, event: "end", #","dismissal-date":1"#)
        phones.receive(.sample(3, end, to: "bb", type: .liveactivity))
        // Neither as an activity that the app has started, nor in another one.
        phones.receive(.sample(4, Self.update(400, left: 1), to: "bb", type: .liveactivity))
        #expect(try phones.outcome(4).text == "Activity unchanged")
        #expect(try phones.outcome(4).why == "The Live Activity has ended")
        #expect(try phones.screen().activities.isEmpty)
        phones.receive(.sample(5, Self.start(), to: "cc", type: .liveactivity))
        for (number, token) in [(6, "bb"), (7, "5f3ad1c07b9e4286")] {
            phones.receive(.sample(number, Self.update(500, left: 1), to: token, type: .liveactivity))
            #expect(try phones.outcome(number).kind == .hidden)
        }
        // A start with the same token starts another one.
        phones.receive(.sample(8, Self.start(), type: .liveactivity))
        phones.receive(.sample(9, Self.update(600, left: 1), type: .liveactivity))
        #expect(try phones.outcome(9).text == "Activity updated")
        #expect(Set(try phones.screen().activities.map(\.push)) == [5, 9])
    }

    @Test func `an update of an activity that has ended does not change another device's`() throws {
        var phones = try Self.started()
        phones.receive(.sample(2, Self.update(200, left: 0, event: "end"), type: .liveactivity))
        phones.receive(.sample(3, Self.start(), to: "cc", type: .liveactivity))
        phones.receive(.sample(4, Self.update(300, left: 1), type: .liveactivity))
        #expect(try phones.outcome(4).why == "The Live Activity has ended")
        #expect(Set(try phones.screen().activities.map(\.push)) == [2, 3])
    }

    @Test func `it becomes stale at its stale date, and the system ends it after 8 hours`() throws {
        let stale = Int(Date.start.timeIntervalSince1970) + 600
        var phones = try Self.started(#","stale-date":\#(stale)"#)
        #expect(try phones.screen().activities.first?.isStale == false)
        phones.timePassed(to: .start.addingTimeInterval(600))
        #expect(try phones.screen().activities.first?.isStale == true)
        phones.timePassed(to: .start.addingTimeInterval(8 * 3600))
        #expect(try phones.screen().activities.first?.isEnded == true)
        #expect(phones.record(of: 1)?.timeline.last?.text == "Ended by the system after 8h")
    }

    @Test func `after ten starts in an hour the budget is used up, and tries that fail count too`() throws {
        var phones = try Self.started()
        for number in 2...12 { phones.receive(.sample(number, Self.start(), type: .liveactivity)) }
        #expect(try phones.outcome(10).text == "Activity started")
        #expect(try phones.outcome(11).text == "Activity not started")
        #expect(try phones.outcome(11).why?.contains("budget for starts is used up") == true)
        phones.receive(.sample(13, Self.start(), type: .liveactivity, at: 3599))
        #expect(try phones.outcome(13).kind == .hidden)
        phones.receive(.sample(14, Self.start(), topic: "com.example.other", type: .liveactivity))
        #expect(try phones.outcome(14).text == "Activity started")
        phones.receive(.sample(15, Self.start(), type: .liveactivity, at: 8000))
        #expect(try phones.outcome(15).text == "Activity started")
    }

    @Test func `an update too soon after another is not shown, but an end is`() throws {
        var phones = try Phones.withApp(Self.profile, #""activities":{"update_pause":"15s"}"#)
        phones.receive(.sample(1, Self.start(), type: .liveactivity))
        phones.receive(.sample(2, Self.update(200, left: 4), type: .liveactivity, at: 1))
        phones.receive(.sample(3, Self.update(300, left: 3), type: .liveactivity, at: 10))
        #expect(try phones.outcome(3).why?.contains("The system shows the next update after") == true)
        phones.receive(.sample(4, Self.update(400, left: 2), type: .liveactivity, at: 16))
        #expect(try phones.outcome(4).text == "Activity updated")
        phones.receive(.sample(5, Self.update(500, left: 0, event: "end"), type: .liveactivity, at: 17))
        #expect(try phones.outcome(5).text == "Activity ended")
    }

    @Test func `a token for updates is replaced after the time of the profile, and the old one updates nothing`() throws
    {
        var phones = try Phones.withApp(Self.profile, #""activities":{"token_time":"1h"}"#)
        phones.receive(.sample(1, Self.start(), type: .liveactivity))
        phones.receive(.sample(2, Self.update(200, left: 4), to: "bb", type: .liveactivity, at: 1))
        phones.receive(.sample(3, Self.update(300, left: 3), to: "bb", type: .liveactivity, at: 3600))
        #expect(try phones.outcome(3).text == "Activity updated")
        phones.receive(.sample(4, Self.update(400, left: 2), to: "bb", type: .liveactivity, at: 3601))
        #expect(try phones.outcome(4).why?.contains("new token for updates") == true)
        phones.receive(.sample(5, Self.update(500, left: 1), to: "cc", type: .liveactivity, at: 3602))
        #expect(try phones.outcome(5).text == "Activity updated")
        // The old one starts no activity of its own either.
        phones.receive(.sample(6, Self.update(600, left: 0), to: "bb", type: .liveactivity, at: 3603))
        #expect(try phones.outcome(6).kind == .hidden)
        #expect(try phones.screen().activities.count == 1)
        // Without the setting, a token stays.
        var lasting = try Phones.withApp(Self.profile)
        lasting.receive(.sample(1, Self.start(), type: .liveactivity))
        lasting.receive(.sample(2, Self.update(200, left: 4), to: "bb", type: .liveactivity, at: 1))
        lasting.receive(.sample(3, Self.update(300, left: 3), to: "bb", type: .liveactivity, at: 20000))
        #expect(try lasting.outcome(3).text == "Activity updated")
    }

    @Test(arguments: [
        (#""activities":{"starts":1}"#, start(timestamp: 300), 5.0, "budget for starts is used up"),
        (#""activities":{"update_pause":"15s"}"#, update(300, left: 1), 3, "The system shows the next update after"),
        (#""activities":{"needs_allow":true}"#, update(300, left: 1), 3, "tapped Allow"),
        (
            #""activities":{"active_time":"1h"}"#, update(300, left: 1), 3601,
            "has ended: the system allows it no more time"
        ),
        (#""activities":{"token_time":"1h"}"#, update(300, left: 1), 3603, "new token for updates"),
    ])
    func `a preview tells the reason that the inbox would`(
        rules: String, payload: String, at seconds: Double, why: String
    ) throws {
        var phones = try Phones.withApp(Self.profile, rules)
        phones.receive(.sample(1, Self.start(), type: .liveactivity))
        phones.receive(.sample(2, Self.update(200, left: 2), to: "bb", type: .liveactivity, at: 2))
        phones.timePassed(to: .start.addingTimeInterval(seconds))
        let push = PhonePush.sample(3, payload, to: "bb", type: .liveactivity, at: seconds)
        let preview = try #require(phones.preview(push, on: "desk")).record.outcome
        #expect(preview.why?.contains(why) == true, "\(preview)")
        phones.receive(push)
        #expect(try phones.outcome(3).why == preview.why && phones.outcome(3).kind == preview.kind)
    }

    @Test func `updates wait for Allow where the profile says so, unless there is a channel`() throws {
        let rules = #""activities":{"needs_allow":true,"active_time":"1h"}"#
        var phones = try Phones.withApp(Self.profile, rules)
        phones.receive(.sample(1, Self.start(), type: .liveactivity))
        phones.receive(.sample(2, Self.update(200, left: 4), to: "bb", type: .liveactivity))
        #expect(try phones.outcome(2).why?.contains("tapped Allow") == true)
        try phones.act(.allow(1))
        phones.receive(.sample(3, Self.update(300, left: 3), to: "bb", type: .liveactivity))
        #expect(try phones.outcome(3).text == "Activity updated")
        #expect(throws: PhoneActionError.self) { try phones.act(.allow(2)) }
        phones.timePassed(to: .start.addingTimeInterval(3600))
        #expect(try phones.screen().activities.first?.isEnded == true)

        var listening = try Phones.withApp(Self.profile, rules)
        listening.receive(.sample(1, Self.start(#","input-push-channel":"Y2g=""#), type: .liveactivity))
        listening.receive(.sample(2, Self.update(200, left: 1), type: .liveactivity, channel: "Y2g="))
        #expect(try listening.outcome(2).text == "Activity updated")
    }

    @Test func `a broadcast updates those who listen to its channel`() throws {
        var phones = try Phones.sample(#"[{"id": "a"}, {"id": "b", "apps": [{"topic": "x", "tokens": ["bb"]}]}]"#)
        let listens = #","input-push-channel":"Y2g=""#
        phones.receive(.sample(1, Self.start(listens), to: "aa", topic: "x", type: .liveactivity))
        phones.receive(.sample(2, Self.start(listens), to: "bb", topic: "x", type: .liveactivity))
        phones.receive(.sample(3, Self.start(), to: "aa", topic: "x", type: .liveactivity))
        phones.receive(.sample(4, Self.update(200, left: 1), topic: "x", type: .liveactivity, channel: "Y2g="))
        #expect(phones.screen(of: "a", at: .start)?.activities.map(\.push).sorted() == [3, 4])
        #expect(phones.screen(of: "b", at: .start)?.activities.map(\.push) == [4])
        #expect(try phones.outcome(4).text == "Activity updated")
        phones.receive(.sample(5, Self.update(300, left: 1), topic: "x", type: .liveactivity, channel: "b3Ro"))
        #expect(try phones.outcome(5).text == "Nobody listens")
    }

    @Test func `a broadcast waits for a phone that is offline for 8 hours`() throws {
        var phones = try Phones.withApp(Self.profile, #""activities":{"active_time":"24h"}"#)
        phones.receive(.sample(1, Self.start(#","input-push-channel":"Y2g=""#), type: .liveactivity))
        phones.flip { $0.online = false }
        phones.receive(.sample(2, Self.update(200, left: 1), type: .liveactivity, channel: "Y2g="))
        phones.timePassed(to: .start.addingTimeInterval(8 * 3600 - 1))
        #expect(try phones.outcome(2).kind == .stored)
        phones.timePassed(to: .start.addingTimeInterval(8 * 3600))
        #expect(try phones.outcome(2).text == "Not shown: expired")
    }

    @Test func `of a channel, only the newest broadcast is stored, also if APNs keeps several pushes`() throws {
        var phones = try Phones.withApp(Self.profile, #""stores_several":true"#)
        phones.receive(.sample(1, Self.start(#","input-push-channel":"Y2g=""#), type: .liveactivity))
        phones.flip { $0.online = false }
        phones.receive(.sample(2, Self.update(200, left: 2), type: .liveactivity, channel: "Y2g="))
        phones.receive(.sample(3, Self.update(201, left: 1), type: .liveactivity, channel: "Y2g="))
        #expect(try phones.outcome(2).replacedBy == 3)
        #expect(try phones.outcome(2).why?.contains("only the newest of each channel") == true)
        #expect(try phones.outcome(3).kind == .stored)
        #expect(try phones.outcome(3).why?.contains("the newest broadcast of each channel") == true)
    }

    @Test(arguments: [
        ("iOS 17.1", "", "Start by push needs iOS 17.2"), ("iOS 17.4", #","input-push-token":1"#, "need iOS 18"),
        ("iOS 26.1", #","input-push-token":1,"input-push-channel":"Y2g=""#, "not both"),
    ])
    func `what the system cannot start is not started`(os: String, more: String, why: String) throws {
        var phones = try Phones.sample(#"{"id":"a","os":"\#(os)"}"#)
        phones.receive(.sample(1, Self.start(more), type: .liveactivity))
        #expect(try phones.outcome(1).text == "Activity not started")
        #expect(try phones.outcome(1).why?.contains(why) == true)
    }

    @Test func `an update without a start belongs to one that the app has started`() throws {
        var phones = try Phones.withApp(Self.profile)
        phones.receive(.sample(1, Self.update(100, left: 2), type: .liveactivity))
        #expect(try phones.screen().activities.first?.type == nil)
        #expect(try phones.outcome(1).why == "Started by the app")
        phones.receive(.sample(2, Self.update(200, left: 1), type: .liveactivity))
        #expect(try phones.screen().activities.map(\.push) == [2])
    }
}
