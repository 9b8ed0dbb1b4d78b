import Foundation
import TestSupport
import Testing

@testable import PushLint
@testable import PushProvider

/// Payloads as people write them. The lint has nothing to say of any of them.
@Suite struct CleanCorpusTests {
    private static func payloads(in folder: String) -> [String] {
        let path = Repository.url(folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path.path())) ?? []
        return names.filter { $0.hasSuffix(".json") || $0.hasSuffix(".apns") }.sorted().map { "\(folder)/\($0)" }
    }

    private static let clean = payloads(in: "Tests/Fixtures/payloads-clean")
    private static let examples = payloads(in: "Examples/payloads")

    @Test func `there are enough of them`() {
        #expect(Self.clean.count >= 50)
    }

    @Test(arguments: clean + examples)
    func `a payload as people write it has no finding`(file: String) throws {
        let bytes = Array(try Data(contentsOf: Repository.url(file)))
        #expect(PayloadLint.findings(in: bytes) == [])
        #expect(PayloadLint.repaired(bytes).json == bytes)
    }

    /// With the topic of the app, as `send` gives it, and the push type that the payload is for.
    @Test(arguments: clean + examples)
    func `nor has it one with its push type`(file: String) throws {
        let bytes = Array(try Data(contentsOf: Repository.url(file)))
        let payload = PushPayload(json: bytes)
        guard let type = payload.reading.plainPushType else { return }
        let context = LintContext(topic: "com.example.app\(type.topicSuffix ?? "")", pushType: type)
        #expect(payload.findings(context) == [])
    }
}
