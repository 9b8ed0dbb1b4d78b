import Foundation
import PushCommandLine
import TestSupport
import Testing

@testable import PushJSON
@testable import PushLint
@testable import PushProvider
@testable import pushsend

@Suite struct ReadyPayloadTests {
    private static let folder = Repository.url("Examples/payloads")

    @Test(arguments: ReadyPayload.all.map(\.name))
    func `Examples has the template as it is sent`(name: String) throws {
        let text = try String(contentsOf: Self.folder.appending(path: "\(name).json"), encoding: .utf8)
        var time = Date(timeIntervalSince1970: 0)
        if case .integer(let seconds)? = PushJSONValue(json: Array(text.utf8))?["aps"]?["timestamp"] {
            time = Date(timeIntervalSince1970: Double(seconds))
        }
        let payload = try ReadyPayload.named(name).payload(time)
        let value = try #require(PushJSONValue(json: payload.bytes))
        #expect(
            PrettyJSON.text(value) == text,
            "Write it anew: pushsend send --template \(name) --save Examples/payloads/\(name).json --force")
    }

    @Test func `Examples has no other payloads`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path()).filter {
            $0.hasSuffix(".json")
        }
        #expect(Set(files) == Set(ReadyPayload.all.map { "\($0.name).json" }))
    }

    @Test func `each name is there once, in small letters`() {
        let names = ReadyPayload.all.flatMap { [$0.name] + $0.aliases }
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "-" } })
        #expect(ReadyPayload.all.count > 20)
        #expect(!names.contains("list"))
    }

    @Test func `every push type has a template`() throws {
        let types = try ReadyPayload.all.compactMap { try $0.payload(Date()).pushType }
        #expect(Set(types) == Set(PushType.known))
    }

    @Test(arguments: ReadyPayload.all.map(\.name))
    func `nothing is wrong with it`(name: String) throws {
        let notification = PushNotification(
            to: try DeviceToken("5f3a"), topic: "com.example.app",
            payload: try ReadyPayload.named(name).payload(Date()))
        #expect(notification.findings().isEmpty)
    }

    @Test(arguments: [
        ("widgets", "widget"), ("Alert", "alert"), ("replace", "update"), ("ptt", "pushtotalk"),
        ("localised", "localized"),
    ])
    func `a template is found by other words too`(word: String, name: String) throws {
        #expect(try ReadyPayload.named(word).name == name)
    }

    @Test(arguments: [
        ("alret", "did you mean alert? "), ("live-activity", "did you mean live-activity-start? "),
        ("criticl", "did you mean critical? "), ("zzzzzzzz", "\": The templates are alert, rich, "),
        ("", "\": The templates are alert, "),
    ])
    func `of a wrong word the nearest is said, and all that there are`(word: String, words: String) {
        #expect { try ReadyPayload.named(word) } throws: { error in
            guard let failure = error as? CommandFailure else { return false }
            return failure.status == .usage && failure.message.contains(words)
                && ReadyPayload.all.allSatisfy { failure.message.contains($0.name) }
        }
    }
}
