import PushPlatform
import Testing

@testable import VirtualPhones

@Suite struct RecordTests {
    @Test func `counts follow the outcomes as they are now`() throws {
        var phones = Phones()
        phones.receive(.sample(1, .alert(), collapse: "a"))
        phones.receive(.sample(2, .alert(), collapse: "a"))
        #expect(phones.counts[.shown] == 1)
        #expect(phones.counts[.replaced] == 1)
        try phones.act(.tap(2))
        #expect(phones.counts[.shown] == 0)
        #expect(phones.counts[.acted] == 1)
    }

    @Test func `old pushes keep their outcome, and the oldest are forgotten`() {
        var phones = Phones(recordCount: 10, wholeRecordCount: 3)
        for number in 1...12 { phones.receive(.sample(number, .alert())) }
        #expect(phones.record(of: 2) == nil)
        #expect(phones.record(of: 3)?.timeline.isEmpty == true)
        #expect(phones.record(of: 3)?.outcome.kind == .shown)
        #expect(phones.record(of: 10)?.timeline.isEmpty == false)
    }

    @Test func `numbers of removed pushes are kept only while they can count`() {
        var records = PushRecords(maximum: 10, maximumWhole: 10)
        for push in 1...1000 { records.uncount(push) }
        #expect(records.uncountedCount <= 20)
    }

    @Test func `records stay right over many pushes`() {
        var phones = Phones(recordCount: 5000, wholeRecordCount: 100)
        for number in 1...20_000 { phones.receive(.sample(number, .alert(), answer: .init(isAccepted: false))) }
        #expect(phones.record(of: 15_000) == nil)
        #expect(phones.record(of: 15_001)?.timeline.isEmpty == true)
        #expect(phones.record(of: 19_900)?.timeline.isEmpty == true)
        #expect(phones.record(of: 19_901)?.timeline.isEmpty == false)
        #expect(phones.counts[.rejected] == 20_000)
    }

    @Test func `a change names the pushes whose outcome is another one now`() {
        var phones = Phones()
        phones.receive(.sample(1, .alert(), collapse: "a"))
        #expect(phones.takeChanges() == [.init(phone: "phone", pushes: [])])
        phones.receive(.sample(2, .alert(), collapse: "a"))
        #expect(phones.takeChanges() == [.init(phone: "phone", pushes: [1])])
        #expect(phones.takeChanges().isEmpty)
    }

    @Test func `pushes that came too fast are counted and say so`() {
        var phones = Phones()
        phones.miss(5...104, at: .start)
        #expect(phones.counts[.missed] == 100)
        #expect(phones.record(of: 50)?.outcome.kind == .missed)
        #expect(phones.tally.spans(until: .start).last?.all == 100)
    }

    @Test func `the tally has the last five minutes`() {
        var phones = Phones()
        phones.receive(.sample(1, .alert(), at: 0))
        phones.receive(.sample(2, .alert(), at: 8, answer: .init(isAccepted: false)))
        let spans = phones.tally.spans(until: .start.addingTimeInterval(8))
        #expect(spans.count == 40)
        #expect(spans.suffix(2) == [.init(all: 1, rejected: 0), .init(all: 1, rejected: 1)])
        #expect(phones.tally.spans(until: .start.addingTimeInterval(600)).allSatisfy { $0.all == 0 })
    }

    @Test func `a reset returns to the profiles of the start`() throws {
        var phones = try Phones.withApp()
        phones.receive(.sample(1, .alert()))
        _ = phones.put(PhoneProfile(id: "other"), at: .start)
        phones.reset()
        #expect(phones.ids == ["desk"])
        #expect(phones.record(of: 1) == nil)
        #expect(try phones.screen().entries.isEmpty)
    }

    @Test func `a new profile leaves what the phone shows`() throws {
        var phones = try Phones.withApp()
        phones.receive(.sample(1, .alert()))
        #expect(phones.put(PhoneProfile(id: "desk", name: "Other"), at: .start) == false)
        #expect(phones.phone("desk")?.profile.name == "Other")
        #expect(try phones.lock() == [1])
        phones.replace(with: [PhoneProfile(id: "new"), PhoneProfile(id: "desk")], at: .start)
        #expect(phones.ids == ["new", "desk"])
        #expect(phones.screen(of: "desk", at: .start)?.lock.count == 1)
    }

    @Test func `a token goes to the phone that lists it, then to one with its app, then to the first`() throws {
        var phones = try Phones.sample(
            #"""
            [{"id":"a"},{"id":"b","apps":[{"topic":"x","tokens":["B0"]},{"topic":"y"}]},
            {"id":"c","apps":[{"topic":"x"}]}]
            """#)
        phones.receive(.sample(1, .alert(), to: "b0", topic: "x"))
        phones.receive(.sample(2, .alert(), to: "ff", topic: "x"))
        phones.receive(.sample(3, .alert(), to: "ff", topic: "y"))
        phones.receive(.sample(4, .alert(), to: "ee", topic: "z"))
        #expect((1...4).map { phones.record(of: $0)?.phone } == ["b", "c", "b", "a"])
    }

    @Test func `a token that is used for several apps is a device of each`() throws {
        var phones = Phones()
        phones.receive(.sample(1, .alert(), topic: "x"))
        phones.receive(.sample(2, .alert(), topic: "y"))
        #expect(Set(try phones.lock()) == [1, 2])
        #expect(phones.phone("phone")?.apps.map(\.tokens.count) == [1, 1])
    }

    @Test func `a token that another phone lists moves there`() throws {
        var phones = Phones()
        phones.receive(.sample(1, .alert(), to: "aa"))
        var app = PhoneAppProfile(topic: "com.example.app")
        app.tokens = ["aa"]
        _ = phones.put(PhoneProfile(id: "qa", apps: [app]), at: .start)
        phones.receive(.sample(2, .alert(), to: "aa"))
        #expect(phones.record(of: 2)?.phone == "qa")
        #expect(phones.phone("phone")?.apps.isEmpty == true)
        let error = #expect(throws: PhoneActionError.self) { try phones.perform(.tap(1), on: "qa", at: .start) }
        #expect(error?.code == .neverShown)
    }
}
