import Foundation
import PushJSON
import Testing

@testable import PushCampaign
@testable import PushLint
@testable import PushProvider

/// What the lint remembers of an outline is what it would find.
struct PayloadOutlineTests {
    /// 100 000 and more by `OUTLINE_PAYLOADS`, of another seed by `OUTLINE_SEED`.
    private static let environment = ProcessInfo.processInfo.environment
    private static let payloads = environment["OUTLINE_PAYLOADS"].flatMap { Int($0) } ?? 6000
    private static let seed = environment["OUTLINE_SEED"].flatMap { UInt64($0) } ?? 16

    private static let contexts = [
        "", "", "", "", #","push_type":"alert""#, #","push_type":"background""#, #","push_type":"voip""#,
        #","push_type":"liveactivity","topic":"com.example.app.push-type.liveactivity""#,
        #","topic":"com.example.app.voip""#, #","push_type":"mdm""#, #","push_type":"fileprovider""#,
        #","push_type":"widgets""#, #","priority":7"#, #","collapse_id":"\#(String(repeating: "x", count: 65))""#,
    ]

    private static func line(_ payload: [UInt8], asText: Bool, _ context: String) -> [UInt8] {
        var value = payload
        if asText {
            value = []
            payload.withUnsafeBufferPointer { JSONBytes.write($0, to: &value) }
        }
        return Array(#"{"token":"00","payload":"#.utf8) + value + Array("\(context)}".utf8)
    }

    @Test(arguments: [
        (#""badge":3"#, #""badge":-1"#), (#""badge":3"#, #""badge":1.5"#),
        (#""relevance-score":0.5"#, #""relevance-score":2"#), (#""thread-id":"a""#, #""thread-id":1"#),
    ])
    func `a clean payload does not hide the finding of the next one`(clean: String, other: String) throws {
        var reader = RowReader(BatchDefaults(topic: "com.example.app"))
        var lint = BatchLint(nil, BatchFindings())
        for (number, member) in [clean, clean, clean, other].enumerated() {
            let line = Self.line(Array(#"{"aps":{"alert":"Hi",\#(member)}}"#.utf8), asText: false, "")
            let notification = reader.notification(line, index: number, line: number + 1, file: 0)
            #expect(lint.findings(in: notification).isEmpty == (member == clean), "\(member)")
        }
    }

    @Test func `of payloads by chance, what is remembered is what is found without it`() throws {
        var random = RandomPayloads(seed: Self.seed)
        var reader = RowReader(BatchDefaults(topic: "com.example.app"))
        var lint = BatchLint(nil, BatchFindings())
        var shapes: Set<ObjectIdentifier> = []
        var (compared, remembered, clean) = (0, 0, 0)
        for number in 0..<Self.payloads {
            let payload = random.next()
            let line = Self.line(payload, asText: random.chance(4), random.element(Self.contexts) ?? "")
            let notification = reader.notification(line, index: number, line: number + 1, file: 0)
            if notification.row?.skipReason != nil { continue }
            var fresh = notification
            fresh.payload = PushPayload(json: notification.payload.bytes)
            let expected = PayloadLint.findings(of: fresh, nil)
            let found = lint.findings(in: notification)
            let shown = String(decoding: payload.prefix(1000), as: UTF8.self)
            try #require(fresh.payload.reading == notification.payload.reading, "payload \(number): \(shown)")
            try #require(found == expected, "payload \(number): \(shown)")
            compared += 1
            clean += expected.isEmpty ? 1 : 0
            if let shape = notification.payload.shape, !shapes.insert(ObjectIdentifier(shape)).inserted {
                remembered += 1
            }
        }
        // Otherwise the comparison says nothing.
        #expect(compared > Self.payloads * 3 / 4)
        #expect(clean > Self.payloads / 10)
        #expect(remembered > Self.payloads / 10)
    }
}
