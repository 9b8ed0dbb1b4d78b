import Foundation
import TestSupport

@testable import PushLint
@testable import PushProvider

/// Payloads by chance: real ones, and those that break a rule, changed a little. The same seed gives the same payloads.
struct RandomPayloads {
    private var random: SeededGenerator
    /// The payload that is varied now, and how often still.
    private var stem: PayloadDraft = .object([])
    private var variations = 0

    private static let stems: [PayloadDraft] = {
        let files = ["Tests/Fixtures/payloads-clean", "Examples/payloads"].flatMap { folder in
            let path = Repository.url(folder)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path.path())) ?? []
            return names.sorted().compactMap { try? Array(Data(contentsOf: path.appending(path: $0))) }
        }
        let fixtures = RuleFixture.all.flatMap { [$0.good, $0.bad] }
        return (files + fixtures).compactMap { PayloadFacts.tree(of: $0).map { PayloadDraft($0) } }
    }()

    private static let keys =
        Set(KnownKey.all.map(\.name)).sorted()
        + [
            "mdm", "notification", "container-identifier", "attachment-url", "my_Attachment", "media-attachments", "id",
            "Badge", "APS", "ap", "titles", "contentState", "thread_id", "data", "🗝", "",
            "to", "message", "token", "app_id", "contents", "headings", "APNS", "APNS_SANDBOX", "apns", "apns-priority",
            "apns-topic", "apns-id",
        ]

    private static let values =
        [
            "", " ", "a", "Hello", "ping", "ping.caf", ".caf", "default", "Default", "%@ and %@", "%1$@", "100 %",
            "http://a.b/c.jpg", "https://a.b/c.jpg", "true", "1", "3", "1700000000", "critical", "passive",
            "timeSensitive", "start", "update", "end", "End", "😀", "é", #"\n"#, #"\u0020"#, #"\uD83D\uDE00"#, #"\"{}"#,
        ].map { "\"\($0)\"" }
        + [
            "0", "1", "7", "-1", "-0", "1.0", "0.5", "0.999", "1.5", "0.", "007", "123456", "999999999", "9999999999",
            "1e3", "1e400", "-1e400", "1E2", "0e0", "0.5e1", "1699999999", "1700000000", "1700000001", "0700000000",
            "99999999999", "100000000001", "1700000000000", "1e13", "true", "false", "null", "True", "{}", "[]",
            #"["a"]"#, #"["a","b"]"#, #"["a",1]"#, "[1,2,3]", "[[],[]]", "[{},{}]", #"[{"a":1},{"a":2}]"#,
            #"[{"a":1},{"a":1,"a":2}]"#, #"{"a":1}"#, #"{"a":1,"a":1}"#, #"{"aps":{}}"#, #"{"loc-key":"K"}"#,
            #""ExponentPushToken[x]""#, #""Expo""#, #"["ExponentPushToken[x]"]"#, #"{"apns":{}}"#,
            #"{"token":"t","data":{}}"#, #"{"loc-key":"%@","loc-args":["x"]}"#, #"{"title":"Hi"}"#,
            #"{"body":"Hi","sound":"a.caf"}"#,
            #"{"name":"default","critical":1,"volume":0.5}"#, #"{"name":"ping","critical":1,"volume":1.5}"#,
        ]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// The next payload; most differ from one before it in a value only.
    mutating func next() -> [UInt8] {
        if variations == 0 {
            var next = Self.stems.randomElement(using: &random) ?? stem
            for _ in 0..<Int.random(in: 0...2, using: &random) { changeStructure(&next) }
            stem = next
            variations = Int.random(in: 1...12, using: &random)
        }
        variations -= 1
        var draft = stem
        for _ in 0..<Int.random(in: 0...3, using: &random) { changeValue(&draft) }
        if chance(8) { changeStructure(&draft) }
        var text = draft.written(["", "", "", " ", "\t"].randomElement(using: &random) ?? "")
        if chance(25) { pad(&text) }
        var bytes = Array(text.utf8)
        if chance(40), let index = bytes.indices.randomElement(using: &random) {
            bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
        return bytes
    }

    mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

    mutating func element<T>(_ elements: [T]) -> T? { elements.randomElement(using: &random) }

    // MARK: Changes

    private mutating func changeValue(_ draft: inout PayloadDraft) {
        let value = someValue()
        let number = Int.random(in: 0..<10_000_000, using: &random)
        let usual = ["\"text \(number)\"", "\(number)", "\"\(number)\"", "17\(10_000_000 + number)", "0.\(number)"]
        let same = chance(2) ? usual.randomElement(using: &random) : nil
        draft.change(Int.random(in: 0..<draft.count, using: &random)) { part in
            guard case .scalar = part else { return }
            part = same.map { PayloadDraft.scalar($0) } ?? value
        }
    }

    private mutating func changeStructure(_ draft: inout PayloadDraft) {
        let index = Int.random(in: 0..<draft.count, using: &random)
        let (value, key) = (someValue(), someKey())
        let kind = Int.random(in: 0..<7, using: &random)
        let number = Int.random(in: 0..<1000, using: &random)
        let depth = chance(20) ? Int.random(in: 20...140, using: &random) : 2
        draft.change(index) { part in
            switch part {
            case .scalar where kind == 0:
                for _ in 0..<depth { part = number % 2 == 0 ? .list([part]) : .object([(key: "\"a\"", value: part)]) }
            case .scalar: part = value
            case .list(var elements):
                if kind == 0, !elements.isEmpty {
                    elements.remove(at: number % elements.count)
                } else if kind < 4, let last = elements.last {
                    elements.append(last)
                } else {
                    elements.append(value)
                }
                part = .list(elements)
            case .object(var members):
                let at = members.isEmpty ? 0 : number % members.count
                switch kind {
                case 0 where !members.isEmpty: members.remove(at: at)
                case 1 where !members.isEmpty: members[at].key = key
                case 2 where !members.isEmpty: members.append(members[at])
                case 3 where !members.isEmpty: members[at].value = value
                case 4 where !members.isEmpty: members[at].key = Self.misspelt(members[at].key, number)
                default: members.insert((key: key, value: value), at: at)
                }
                part = .object(members)
            }
        }
    }

    private mutating func someValue() -> PayloadDraft { .scalar(Self.values.randomElement(using: &random) ?? "1") }

    private mutating func someKey() -> String {
        let key = Self.keys.randomElement(using: &random) ?? ""
        guard chance(20), let first = key.unicodeScalars.first, first.isASCII else { return "\"\(key)\"" }
        return "\"\\u00\(String(first.value, radix: 16))\(key.dropFirst())\""
    }

    private static func misspelt(_ key: String, _ number: Int) -> String {
        switch number % 3 {
        case 0: key.replacing("-", with: "_")
        case 1: key.uppercased()
        default: key.count > 3 ? "\"" + key.dropFirst(2) : key
        }
    }

    /// Brings a payload near to one of the limits of its size.
    private mutating func pad(_ text: inout String) {
        let size = (element([4096, 5120]) ?? 0) + Int.random(in: -2...2, using: &random)
        guard text.hasPrefix("{\""), case let missing = size - text.utf8.count - #""pad":"","#.utf8.count, missing > 0
        else { return }
        text = #"{"pad":"\#(String(repeating: "x", count: missing))","# + text.dropFirst()
    }
}
