import MockAPNs
import PushPlatform
import Testing

@testable import VirtualPhones

@Suite struct OfflineTests {
    private static func phones() throws -> Phones { try Phones.withApp("", #""online":false"#) }

    @Test func `APNs keeps one push of each app while the phone is offline`() throws {
        var phones = try Self.phones()
        phones.receive(.sample(1, .alert("One")))
        phones.receive(.sample(2, .alert("Two"), topic: "com.example.other"))
        #expect(try phones.outcome(1).kind == .stored)
        phones.receive(.sample(3, .alert("Three")))
        #expect(try phones.outcome(1).kind == .replaced)
        #expect(try phones.outcome(1).replacedBy == 3)
        #expect(try phones.lock().isEmpty)
        phones.flip { $0.online = true }
        #expect(Set(try phones.lock()) == [2, 3])
        #expect(try phones.outcome(3).kind == .shown)
        #expect(phones.stages(3) == [.received, .judged, .stored, .delivered, .shown])
    }

    /// Apple's pages disagree about it.
    @Test func `with the setting for it, APNs keeps several, and one of each collapse id`() throws {
        var phones = try Phones.withApp("", #""online":false,"stores_several":true"#)
        phones.receive(.sample(1, .alert("One")))
        phones.receive(.sample(2, .alert("Two")))
        phones.receive(.sample(3, .alert("1:0"), collapse: "score"))
        phones.receive(.sample(4, .alert("2:0"), collapse: "score"))
        #expect(try phones.outcome(1).kind == .stored && phones.outcome(2).kind == .stored)
        #expect(try phones.outcome(3).replacedBy == 4)
        phones.flip { $0.online = true }
        #expect(try [1, 2, 3, 4].map { try phones.outcome($0).kind } == [.shown, .shown, .replaced, .shown])
    }

    @Test func `what is stored is bounded, and goes with its app`() throws {
        var phones = try Self.phones()
        for number in 1...1010 {
            phones.receive(.sample(number, .alert(), to: "aa\(1000 + number)", topic: "com.example.app\(number)"))
        }
        #expect(try phones.outcome(1).kind != .shown)
        phones.flip { $0.online = true }
        #expect(try phones.outcome(1010).kind == .shown)
        let shown = (1...1010).filter { (try? phones.outcome($0).kind) == .shown }
        #expect(shown.count <= 1000)
    }

    @Test func `a device that the mock knows to be offline gets its push later`() throws {
        var phones = try Phones.withApp("")
        var push = PhonePush.sample(1, .alert(), to: "aabb")
        push.delivery = .stored
        phones.receive(push)
        #expect(try phones.outcome(1).kind == .stored)
        phones.deviceIsOnline("aabb", at: .start)
        #expect(try phones.outcome(1).kind == .shown)
        push.number = 2
        push.delivery = .discarded
        phones.receive(push)
        #expect(try phones.outcome(2).kind == .hidden)
    }

    @Test func `APNs keeps one push for each device that the mock knows to be offline`() throws {
        var phones = try Phones.withApp()
        for (number, token) in [(1, "aa"), (2, "bb"), (3, "aa")] {
            var push = PhonePush.sample(number, .alert(), to: token)
            push.delivery = .stored
            phones.receive(push)
        }
        #expect(try [1, 2, 3].map { try phones.outcome($0).kind } == [.replaced, .stored, .stored])
        phones.deviceIsOnline("bb", at: .start)
        #expect(try [2, 3].map { try phones.outcome($0).kind } == [.shown, .stored])
    }

    @Test func `pushes of devices that are online again share the place of their app, while the phone is offline`()
        throws
    {
        var phones = try Phones.withApp("", #""online":false"#)
        for (number, token) in [(1, "aa"), (2, "bb")] {
            var push = PhonePush.sample(number, .alert(), to: token)
            push.delivery = .stored
            phones.receive(push)
            phones.deviceIsOnline(token, at: .start)
        }
        phones.receive(.sample(3, .alert(), to: "aa"))
        #expect(try [1, 2, 3].map { try phones.outcome($0).kind } == [.replaced, .replaced, .stored])
    }

    @Test func `expiration 0 is one attempt`() throws {
        var phones = try Self.phones()
        phones.receive(.sample(1, .alert(), expiration: .once))
        #expect(try phones.outcome(1).text == "Not shown: expired")
        phones.flip { $0.online = true }
        #expect(try phones.lock().isEmpty)
        phones.receive(.sample(2, .alert(), expiration: .once))
        #expect(try phones.lock() == [2])
    }

    @Test func `a stored push expires when its time is over`() throws {
        var phones = try Self.phones()
        phones.receive(.sample(1, .alert(), expiration: .until(.start.addingTimeInterval(60))))
        #expect(phones.nextChange == .start.addingTimeInterval(60))
        phones.timePassed(to: .start.addingTimeInterval(59))
        #expect(try phones.outcome(1).kind == .stored)
        phones.timePassed(to: .start.addingTimeInterval(60))
        #expect(try phones.outcome(1).text == "Not shown: expired")
        #expect(phones.stages(1).last == .expired)
        #expect(phones.nextChange == nil)
    }

    @Test func `without an expiration, APNs keeps a push for 30 days, and no longer with a later one`() throws {
        var phones = try Self.phones()
        phones.receive(.sample(1, .alert()))
        #expect(phones.nextChange == .start.addingTimeInterval(30 * 86_400))
        phones.receive(.sample(2, .alert(), expiration: .until(.start.addingTimeInterval(90 * 86_400))))
        #expect(phones.nextChange == .start.addingTimeInterval(30 * 86_400))
    }

    @Test func `what is stored is not shown if the permission is denied meanwhile, and neither is the badge`() throws {
        var phones = try Phones.withApp()
        phones.receive(.sample(1, #"{"aps":{"badge":4}}"#))
        phones.flip { $0.online = false }
        phones.receive(.sample(2, .alert()))
        var change = Phones.AppChange()
        change.permission = .denied
        phones.change("com.example.app", on: "desk", at: .start, change)
        phones.flip { $0.online = true }
        #expect(try phones.outcome(2).text == "Not shown: denied")
        #expect(try phones.screen().entries.isEmpty && phones.screen().badges.isEmpty)
        #expect(phones.phone("desk")?.apps.first?.badge == nil)
    }

    @Test func `the same collapse id replaces a stored push`() throws {
        var phones = try Self.phones()
        phones.receive(.sample(1, .alert(), collapse: "score"))
        phones.receive(.sample(2, .alert(), collapse: "score"))
        #expect(try phones.outcome(1).why == "Same collapse id, while stored")
    }
}
