import APNSVocabulary
import PushPlatform
import Testing

@testable import VirtualPhones

@Suite struct DeliveryTests {
    @Test func `a push to any token is shown on the phone, with its whole report`() throws {
        var phones = Phones()
        phones.receive(.sample(1, .alert("Hello", #""sound":"default""#)))
        let card = try #require(try phones.screen().lock.first?.card)
        #expect(card.title == "Hello")
        #expect(card.isLoud)
        #expect(try phones.outcome(1) == PhoneOutcome(.shown, "Shown"))
        #expect(phones.stages(1) == [.received, .judged, .delivered, .shown])
        #expect(phones.phone("phone")?.apps.first?.tokens == ["5f3ad1c07b9e4286"])
    }

    @Test func `a rejected push has its reason, and touches no phone`() throws {
        var phones = Phones()
        let answer = PhonePush.Answer(
            isAccepted: false, text: "403 ExpiredProviderToken", reason: "ExpiredProviderToken", detail: "Too old.",
            check: "issue time not old")
        phones.receive(.sample(1, .alert(), answer: answer))
        #expect(try phones.outcome(1) == PhoneOutcome(.rejected, "ExpiredProviderToken", why: "Too old."))
        #expect(phones.stages(1) == [.received, .refused])
        #expect(try phones.screen().entries.isEmpty)
        #expect(phones.phone("phone")?.apps.isEmpty == true)
    }

    @Test func `a permission that was denied hides a push that APNs accepted`() throws {
        var phones = try Phones.withApp(#""permission":"denied""#)
        phones.receive(.sample(1, .alert()))
        #expect(try phones.outcome(1).text == "Not shown: denied")
        #expect(phones.stages(1).last == .discarded)
        #expect(try phones.screen().entries.isEmpty)
    }

    @Test(arguments: [
        ("background", #"{"aps":{"content-available":1}}"#, "App woken"), ("voip", #"{"aps":{}}"#, "Call reported"),
        ("widgets", #"{"aps":{"content-changed":true}}"#, "Widgets reloaded"), ("controls", "{}", "Controls reloaded"),
        ("accessory", "{}", "Handed to the accessory"),
        ("complication", "{}", "Complication updated"), ("fileprovider", "{}", "File provider signalled"),
        ("location", "{}", "Location extension woken"), ("mdm", "{}", "Device asks its MDM server"),
        ("pushtotalk", #"{"aps":{"ptt-push-type":"service-update"}}"#, "Push to Talk updated"),
        ("alert", #"{"aps":{"content-available":1}}"#, "App woken"),
    ])
    func `what is not for the user wakes something`(type: String, payload: String, text: String) throws {
        var phones = Phones()
        phones.receive(.sample(1, payload, type: .init(rawValue: type)))
        #expect(try phones.outcome(1).kind == .woke)
        #expect(try phones.outcome(1).text == text)
        #expect(phones.stages(1).last == .woke)
    }

    @Test(arguments: ["pass.com.example.flight", "order.com.example.shop"])
    func `an empty push makes Wallet request the pass or the order`(topic: String) throws {
        var phones = Phones()
        phones.receive(.sample(1, "{}", topic: topic))
        #expect(try phones.outcome(1).kind == .woke && phones.outcome(1).text == "Wallet woken")
    }

    @Test(arguments: [
        ("pushtotalk", "{}", "Not handed over"), ("new-type", "{}", "Not handed over"),
        ("background", "{}", "App not woken"), ("alert", "{}", "Nothing to show"),
        ("alert", "{\"aps\":", "Not shown: no payload"), ("alert", "[1]", "Not shown: no payload"),
        ("liveactivity", "{}", "Not shown: no payload"),
        ("liveactivity", #"{"aps":{"event":"start"}}"#, "Ignored: no timestamp"),
        ("liveactivity", #"{"aps":{"timestamp":1}}"#, "Ignored: no event"),
        ("liveactivity", #"{"aps":{"timestamp":1,"event":"begin"}}"#, "Ignored: no event"),
        ("liveactivity", #"{"aps":{"timestamp":1,"event":"end"}}"#, "Nothing to end"),
    ])
    func `what cannot be handed over is hidden, and says why`(type: String, payload: String, text: String) throws {
        var phones = Phones()
        phones.receive(.sample(1, payload, type: .init(rawValue: type)))
        #expect(try phones.outcome(1).kind == .hidden)
        #expect(try phones.outcome(1).text == text)
        #expect(try phones.outcome(1).why?.isEmpty == false)
    }

    @Test func `a force-quit app gets only the newest background push, at its launch`() throws {
        var phones = try Phones.withApp(#""force_quit":true"#)
        phones.receive(.sample(1, #"{"aps":{"content-available":1}}"#, type: .background))
        phones.receive(.sample(2, #"{"aps":{"content-available":1}}"#, type: .background))
        #expect(try phones.outcome(1).replacedBy == 2)
        #expect(try phones.outcome(2).text == "App not woken: force-quit")
        try phones.act(.openApp("com.example.app"))
        #expect(try phones.outcome(2).kind == .woke)
        #expect(try phones.screen().foreground?.topic == "com.example.app")
    }

    @Test func `many wakes in an hour are noted`() throws {
        var phones = Phones()
        for number in 1...4 { phones.receive(.sample(number, #"{"aps":{"content-available":1}}"#, type: .background)) }
        #expect(phones.record(of: 3)?.timeline.last?.note == "Nothing to show")
        #expect(phones.record(of: 4)?.timeline.last?.note?.contains("4 in this hour") == true)
    }

    @Test func `a badge alone changes the badge, zero removes it, and no badge leaves it`() throws {
        var phones = Phones()
        phones.receive(.sample(1, #"{"aps":{"badge":5}}"#))
        #expect(try phones.outcome(1).text == "Only badge 5")
        phones.receive(.sample(2, .alert()))
        #expect(try phones.screen().badges == ["com.example.app": 5])
        phones.receive(.sample(3, .alert("B", #""badge":"7""#)))
        #expect(try phones.screen().badges == ["com.example.app": 5])
        #expect(try phones.outcome(3).why?.contains("The badge isn't a whole number") == true)
        phones.receive(.sample(4, .alert("B", #""badge":0"#)))
        #expect(try phones.screen().badges.isEmpty)
    }

    @Test func `a sound that nobody hears is not shown, in the timeline, too`() throws {
        var phones = try Phones.withApp("", #""muted":true"#)
        phones.receive(.sample(1, #"{"aps":{"sound":"default"}}"#))
        #expect(try phones.outcome(1).kind == .hidden)
        #expect(phones.stages(1).last == .hidden)
    }

    @Test func `device tokens are bounded, the oldest is forgotten`() {
        var phones = Phones()
        for number in 1...(Phones.maximumDevices + 5) {
            phones.receive(.sample(number, .alert(), to: "token\(number)", topic: "app\(number % 2)"))
        }
        let tokens = phones.phone("phone")?.apps.flatMap(\.tokens) ?? []
        #expect(tokens.count == Phones.maximumDevices)
        #expect(!tokens.contains("token5"))
        #expect(tokens.contains("token6"))
    }

    @Test func `notifications on the screen are bounded, and the oldest says so`() throws {
        var phones = Phones()
        for number in 1...(VirtualPhone.maximumDelivered + 1) { phones.receive(.sample(number, .alert())) }
        #expect(try phones.outcome(1).kind == .forgotten && phones.outcome(1).text == "Shown, then forgotten")
        #expect(
            try phones.outcome(1).why
                == "The mock keeps the newest 200 notifications of a phone. A real phone would keep this one")
        #expect(phones.counts[.forgotten] == 1 && phones.counts[.shown] == VirtualPhone.maximumDelivered)
        #expect(phones.counts[.removed, default: 0] == 0)
        #expect(try phones.screen().lock.first?.more.count == VirtualPhone.maximumDelivered - 1)
        #expect(try phones.screen().lock.first?.others.count == 20)
    }
}
