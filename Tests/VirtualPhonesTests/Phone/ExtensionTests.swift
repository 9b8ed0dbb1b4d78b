import PushPlatform
import Testing

@testable import VirtualPhones

@Suite struct ExtensionTests {
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 0, count: 16)
    private static let address = "https://example.com/1.jpg"

    private static func phones(
        _ service: PhoneServiceExtension, opener: PhoneEnvelopeOpener? = nil,
        _ change: (inout PhoneAppProfile) -> Void = { _ in }
    ) -> Phones {
        var app = PhoneAppProfile(topic: "com.example.app", name: "App")
        app.serviceExtension = service
        change(&app)
        return Phones([PhoneProfile(id: "desk", apps: [app])], opener: opener)
    }

    private static func attaching(_ file: PhoneAttachmentFile, key: String = "attachment-url") -> PhoneServiceExtension
    {
        PhoneServiceExtension(duration: .milliseconds(1610), attachment: .init(key: key, files: [address: file]))
    }

    private static func rich(_ key: String = "attachment-url", _ address: String = address) -> String {
        .alert("Nora", #""mutable-content":1"#, #""\#(key)":"\#(address)""#)
    }

    @Test func `the file for an address is attached, and the timeline says how long it took`() throws {
        var phones = Self.phones(Self.attaching(PhoneAttachmentFile(name: "pier.jpg", bytes: Self.jpeg)))
        phones.receive(.sample(1, Self.rich()))
        let record = try #require(phones.record(of: 1))
        #expect(record.card?.attachment?.name == "pier.jpg")
        #expect(record.card?.attachment?.type.mediaType == "image/jpeg")
        #expect(record.outcome.why == "With its image, pier.jpg")
        let ran = try #require(record.timeline.first { $0.kind == .ran })
        #expect(ran.text == "1.61 s of 30 s")
        #expect(ran.meter == .init(used: 1.61, limit: 30))
        #expect(ran.note == "attachment-url → pier.jpg, JPEG, 20 bytes")
        #expect(record.timeline.last?.at == .start.addingTimeInterval(1.61))
    }

    @Test func `a key that the payload spells otherwise is reported`() throws {
        var phones = Self.phones(
            Self.attaching(PhoneAttachmentFile(name: "pier.jpg", bytes: Self.jpeg), key: "attachment"))
        phones.receive(.sample(1, Self.rich()))
        #expect(try phones.outcome(1).text == "Shown, no attachment")
        #expect(try phones.outcome(1).why == "The extension reads “attachment”, but the payload has “attachment-url”")
        phones.receive(.sample(2, Self.rich("picture")))
        #expect(try phones.outcome(2).why == "The extension reads “attachment”, but the payload has “picture”")
        phones.receive(.sample(3, .alert("Nora", #""mutable-content":1"#)))
        #expect(try phones.outcome(3).why == "The payload has no key “attachment”")
    }

    static let refused: [(PhoneAttachmentFile, String)] = [
        (PhoneAttachmentFile(name: "page.html", bytes: Array("<html>".utf8)), "of a type that can be attached"),
        (PhoneAttachmentFile(path: "gone.jpg"), "there is no such file"),
        (large(11 << 20, jpeg), "11.0 MB, and an image has at most 10 MB"),
        (large(6 << 20, Array("ID3".utf8)), "6.0 MB, and audio has at most 5 MB"),
        (large(51 << 20, Array("....ftypisom".utf8)), "51.0 MB, and a movie has at most 50 MB"),
    ]

    private static func large(_ count: Int, _ beginning: [UInt8]) -> PhoneAttachmentFile {
        var file = PhoneAttachmentFile(path: "large")
        file.content = .init(byteCount: count, beginning: beginning)
        return file
    }

    @Test(arguments: 0..<5)
    func `a forbidden type or size is shown without it, and the timeline has the reason`(index: Int) throws {
        let (file, reason) = Self.refused[index]
        var phones = Self.phones(Self.attaching(file))
        phones.receive(.sample(1, Self.rich()))
        let record = try #require(phones.record(of: 1))
        #expect(record.outcome.kind == .shown)
        #expect(record.card?.attachment == nil)
        #expect(record.timeline.first { $0.kind == .ran }?.note?.contains(reason) == true, "\(record.timeline)")
    }

    @Test func `an address without a file is shown as text, and not fetched`() throws {
        var phones = Self.phones(Self.attaching(PhoneAttachmentFile(name: "pier.jpg", bytes: Self.jpeg)))
        phones.receive(.sample(1, Self.rich("attachment-url", "https://example.com/other.jpg")))
        #expect(phones.record(of: 1)?.card?.attachmentAddress == "https://example.com/other.jpg")
    }

    @Test func `an extension that does not hand over leaves the original after 30 s`() throws {
        for service in [
            PhoneServiceExtension(duration: .seconds(31)),
            PhoneServiceExtension(duration: .seconds(1), handsOver: false),
        ] {
            var service = service
            service.rewriting = .init(key: "id", entries: ["1": .init(title: "New")])
            var phones = Self.phones(service)
            phones.receive(.sample(1, .alert("Old", #""mutable-content":1"#, #""id":1"#)))
            #expect(phones.record(of: 1)?.card?.title == "Old")
            #expect(try phones.outcome(1).text == "Shown, original")
            #expect(phones.record(of: 1)?.timeline.last?.at == .start.addingTimeInterval(30))
        }
    }

    @Test func `an extension with several purposes does not miss the keys of the others`() throws {
        var service = Self.attaching(PhoneAttachmentFile(name: "pier.jpg", bytes: Self.jpeg))
        service.rewriting = .init(key: "reminder-uuid", entries: ["0b5f": .init(title: "Water the basil")])
        var phones = Self.phones(service)
        phones.receive(.sample(1, Self.rich()))
        #expect(try phones.outcome(1) == PhoneOutcome(.shown, "Shown", why: "With its image, pier.jpg"))
        phones.receive(.sample(2, .alert("", #""mutable-content":1"#, #""reminder-uuid":"0b5f""#)))
        #expect(try phones.outcome(2) == PhoneOutcome(.shown, "Shown, rewritten", why: "Rewritten by reminder-uuid"))
        phones.receive(.sample(3, .alert("", #""mutable-content":1"#, #""reminder_uid":"0b5f""#)))
        #expect(try phones.outcome(3).why == "The extension reads “reminder-uuid”, but the payload has “reminder_uid”")
    }

    @Test func `an action comes after what was shown, though the seconds of the extension are virtual`() throws {
        var phones = Self.phones(Self.attaching(PhoneAttachmentFile(name: "pier.jpg", bytes: Self.jpeg)))
        phones.receive(.sample(1, Self.rich()))
        try phones.act(.tap(1), at: 0.2)
        #expect(phones.record(of: 1)?.timeline.last?.at == .start.addingTimeInterval(1.61))
    }

    @Test func `texts are rewritten by a value of the payload`() throws {
        let service = PhoneServiceExtension(
            rewriting: .init(
                key: "reminder-uuid", entries: ["0b5f": .init(title: "Water the basil", category: "REMINDER")]))
        var phones = Self.phones(service) {
            $0.categories = [PhoneNotificationCategory(id: "REMINDER", actions: [.init(id: "DONE", title: "Done")])]
        }
        phones.receive(.sample(1, .alert("", body: "Due", #""mutable-content":1"#, #""reminder-uuid":"0b5f""#)))
        let card = try #require(phones.record(of: 1)?.card)
        #expect(card.title == "Water the basil")
        #expect(card.body == "Due")
        #expect(card.actions.map(\.id) == ["DONE"])
        #expect(try phones.outcome(1).text == "Shown, rewritten")
        phones.receive(.sample(2, .alert("", body: "Due", #""mutable-content":1"#, #""reminder-uuid":"ffff""#)))
        #expect(try phones.outcome(2).why == "No entry for reminder-uuid \"ffff\"")
    }

    @Test func `an envelope is opened by what was handed in`() throws {
        let service = PhoneServiceExtension(opening: .init(keyFile: "test.key"))
        let opener = PhoneEnvelopeOpener { envelope, key in
            envelope == "1.k.box" && key == "test.key"
                ? .success(Array(String.alert("Secret", body: "Text").utf8)) : .failure(.init("the key does not fit"))
        }
        let sealed = String.alert("A new message", #""mutable-content":1"#, #""sealed":"1.k.box""#)
        var phones = Self.phones(service, opener: opener)
        phones.receive(.sample(1, sealed))
        #expect(phones.record(of: 1)?.card?.title == "Secret")
        #expect(phones.record(of: 1)?.card?.isRewritten == true)
        phones.receive(.sample(2, sealed.replacing("1.k.box", with: "1.k.other")))
        #expect(phones.record(of: 2)?.card?.title == "A new message")
        #expect(try phones.outcome(2).why == "The payload can't be decrypted: the key does not fit")
        // A new profile brings the phone online again.
        phones.flip { $0.online = false }
        phones.receive(.sample(3, sealed))
        _ = phones.put(phones.profilesAtStart[0], at: .start)
        #expect(phones.record(of: 3)?.card?.title == "Secret")
        var closed = Self.phones(service)
        closed.receive(.sample(1, sealed))
        #expect(try closed.outcome(1).why?.contains("wasn't decrypted") == true)
    }

    @Test func `it runs only for mutable-content with a visible alert`() throws {
        var phones = Self.phones(Self.attaching(PhoneAttachmentFile(name: "pier.jpg", bytes: Self.jpeg)))
        phones.receive(.sample(1, .alert("Nora", "", #""attachment-url":"\#(Self.address)""#)))
        #expect(!phones.stages(1).contains(.ran))
        phones.receive(.sample(2, #"{"aps":{"badge":1,"mutable-content":1}}"#))
        #expect(!phones.stages(2).contains(.ran))
        #expect(phones.record(of: 2)?.timeline.contains { $0.text == "Service extension not run" } == true)
    }
}
