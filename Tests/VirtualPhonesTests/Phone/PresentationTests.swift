import PushPlatform
import Testing

@testable import VirtualPhones

@Suite struct PresentationTests {
    @Test func `the same collapse id replaces what is shown, and moves to the top`() throws {
        var phones = Phones()
        phones.receive(.sample(1, .alert("1 : 0", #""thread-id":"match""#), collapse: "score"))
        phones.receive(.sample(2, .alert("News", #""thread-id":"news""#)))
        phones.receive(.sample(3, .alert("2 : 0", #""thread-id":"match""#), collapse: "score"))
        #expect(try phones.lock() == [3, 2])
        #expect(
            try phones.outcome(3) == PhoneOutcome(.shown, "Shown, replaces 1", why: "Moved to the top", replaces: 1))
        #expect(try phones.outcome(1).replacedBy == 3)
        #expect(phones.stages(1).last == .replaced)
        // The id of another app is another id.
        phones.receive(.sample(4, .alert(), topic: "com.example.other", collapse: "score"))
        #expect(try phones.outcome(3).kind == .shown)
    }

    @Test func `a count of a summary beyond all bounds does no harm`() throws {
        var phones = Phones()
        let maximum = #"{"aps":{"alert":{"body":"x","summary-arg-count":9223372036854775807}}}"#
        for number in 1...4 { phones.receive(.sample(number, maximum)) }
        #expect(try phones.screen().lock.first?.summary?.contains("3000000") == true)
    }

    @Test func `threads are grouped, without a thread by app, and the summary counts`() throws {
        var phones = Phones()
        for number in 1...3 { phones.receive(.sample(number, .alert("\(number)", #""thread-id":"chat-7""#))) }
        phones.receive(.sample(4, .alert()))
        phones.receive(.sample(5, .alert()))
        let lock = try phones.screen().lock
        #expect(lock.map(\.group) == ["com.example.app", "chat-7"])
        #expect(lock[1].more == [2, 1])
        #expect(lock[1].summary == "2 more notifications")
        #expect(lock[0].summary == "1 more notification")
        #expect(try phones.outcome(3).why == "3 in chat-7")
    }

    @Test func `a summary argument and its count are used`() throws {
        var phones = Phones()
        let payload = #"{"aps":{"alert":{"body":"x","summary-arg":"Nora","summary-arg-count":3},"thread-id":"t"}}"#
        phones.receive(.sample(1, payload))
        phones.receive(.sample(2, payload))
        #expect(try phones.screen().lock.first?.summary == "3 more notifications from Nora")
    }

    struct Case: Sendable {
        var app = ""
        var switches = ""
        var aps = ""
        var text: String
        var isLoud = false
        var list = "lock"
        var why: String?
    }

    private static let sound = #""sound":"default""#
    private static let critical =
        #""sound":{"critical":1,"name":"alarm.caf","volume":0.8},"interruption-level":"critical""#
    private static let urgent = #""interruption-level":"time-sensitive","sound":"default""#

    @Test(arguments: [
        Case(aps: sound, text: "Shown", isLoud: true),
        Case(switches: #""muted":true"#, aps: sound, text: "Shown", why: "No sound: the phone is muted"),
        Case(
            switches: #""muted":true"#, aps: critical, text: "Shown", isLoud: true,
            why: "Sound at 0.8, although the phone is muted"),
        Case(
            app: #""settings":{"critical":false}"#, switches: #""muted":true"#, aps: critical, text: "Shown",
            why: "Critical alerts aren't allowed for the app"),
        Case(switches: #""focus":"Work""#, aps: sound, text: "Quiet: Focus", list: "center"),
        Case(
            switches: #""focus":"Work""#, aps: urgent, text: "Shown", isLoud: true,
            why: "Time-sensitive: breaks through the Focus “Work”"),
        Case(
            app: #""settings":{"time_sensitive":false}"#, switches: #""focus":"Work""#, aps: urgent,
            text: "Quiet: Focus", list: "center"),
        Case(switches: #""focus":"Work""#, aps: critical, text: "Shown", isLoud: true),
        Case(aps: urgent, text: "Shown", isLoud: true, why: "Time-sensitive: would break through a Focus"),
        Case(aps: #""interruption-level":"passive","sound":"default""#, text: "Quiet: passive", list: "center"),
        Case(app: #""permission":"provisional""#, aps: sound, text: "Quiet: provisional", list: "quiet"),
        Case(app: #""settings":{"sounds":false}"#, aps: sound, text: "Shown"),
        Case(
            app: #""settings":{"alerts":false}"#, aps: sound, text: "Not shown: alerts are off", isLoud: true,
            list: "nowhere"),
        Case(
            app: #""settings":{"alerts":false}"#, switches: #""foreground":"com.example.app""#, aps: sound,
            text: "Not shown: alerts are off", isLoud: true, list: "nowhere"),
        Case(switches: #""locked":false"#, aps: sound, text: "Shown", isLoud: true, list: "center"),
        Case(
            app: #""presents":[]"#, switches: #""foreground":"com.example.app""#, aps: sound,
            text: "Not shown: app open", list: "nowhere", why: "The app is open and presents nothing"),
        Case(
            app: #""presents":["sound"]"#, switches: #""foreground":"com.example.app""#, aps: sound,
            text: "Not shown: app open", isLoud: true, list: "nowhere",
            why: "The app is open and presents only sound"),
        Case(
            app: #""presents":["banner","list"]"#, switches: #""foreground":"com.example.app""#, aps: sound,
            text: "Shown", list: "center", why: "The app is open and presents banner, list"),
        Case(
            app: #""presents":[]"#, switches: #""foreground":"com.example.other","locked":false"#, aps: sound,
            text: "Shown", isLoud: true, list: "center"),
    ])
    func `the level, the switches and the settings decide where and how loud`(example: Case) throws {
        var phones = try Phones.withApp(example.app, example.switches)
        phones.receive(.sample(1, .alert("Hello", example.aps)))
        let outcome = try phones.outcome(1)
        #expect(outcome.text == example.text)
        if let why = example.why { #expect(outcome.why == why) }
        #expect(phones.record(of: 1)?.card?.isLoud == example.isLoud)
        let screen = try phones.screen()
        let list =
            !screen.lock.isEmpty
            ? "lock" : !screen.center.isEmpty ? "center" : !screen.quiet.isEmpty ? "quiet" : "nowhere"
        #expect(list == example.list)
    }

    @Test func `a banner goes after a while, and unlocking moves what is on the lock screen`() throws {
        var phones = Phones()
        phones.receive(.sample(1, .alert()))
        #expect(try phones.screen().banner == nil)
        phones.flip { $0.locked = false }
        #expect(try phones.screen().center.map(\.card.push) == [1])
        phones.receive(.sample(2, .alert(), at: 10))
        #expect(try phones.screen(at: 15).banner?.card.push == 2)
        phones.timePassed(to: .start.addingTimeInterval(16))
        #expect(try phones.screen(at: 16).banner == nil)
    }

    @Test func `an app that presents only a banner has a banner, which can be tapped until it goes`() throws {
        func phones() throws -> Phones {
            var phones = try Phones.withApp(#""presents":["banner"]"#, #""foreground":"com.example.app""#)
            phones.receive(.sample(1, .alert("Hello")))
            return phones
        }
        var tapped = try phones()
        #expect(try tapped.screen().banner?.card.push == 1)
        #expect(try tapped.screen().entries.isEmpty)
        try tapped.act(.tap(1), at: 1)
        #expect(try tapped.outcome(1).kind == .acted)
        #expect(try tapped.screen(at: 1).banner == nil)
        var left = try phones()
        left.timePassed(to: .start.addingTimeInterval(6))
        #expect(try left.screen(at: 6).banner == nil)
        let error = #expect(throws: PhoneActionError.self) { try left.act(.tap(1), at: 6) }
        #expect(error?.code == .notShown)
    }

    @Test func `remarks about a payload are sentences beside each other`() throws {
        var phones = Phones()
        phones.receive(.sample(1, .alert("Hello", #""badge":"3","interruption-level":"loud""#)))
        let why = try phones.outcome(1).why
        #expect(
            why
                == "The badge isn't a whole number of 0 or more, so it isn't changed. Unknown interruption level \"loud\""
        )
    }

    @Test func `the screen says what the app in the foreground presented`() throws {
        var phones = try Phones.withApp(#""presents":["list","badge"]"#, #""foreground":"com.example.app""#)
        #expect(try phones.screen().foreground == .init(topic: "com.example.app", presented: nil))
        phones.receive(.sample(1, .alert("Hello", #""badge":2,"sound":"default""#)))
        #expect(try phones.screen().foreground?.presented == [.list, .badge])
    }
}
