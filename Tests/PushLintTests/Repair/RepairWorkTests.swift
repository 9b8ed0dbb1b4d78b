import Testing

@testable import PushLint
@testable import PushProvider

/// What mending costs grows as the text does, and not with how much is wrong with it.
@Suite struct RepairWorkTests {
    /// Texts with this number of mistakes, and their repaired forms.
    private static let kinds: [(name: String, broken: @Sendable (Int) -> String, mended: @Sendable (Int) -> String)] = [
        (
            "single quotation marks and a comma too many",
            { "{" + (0..<$0).map { "'k\($0)':'v'," }.joined() + "}" },
            { "{" + (0..<$0).map { "\"k\($0)\":\"v\"" }.joined(separator: ",") + "}" }
        ),
        (
            "keys without marks, and = for a colon",
            { "{" + (0..<$0).map { "k\($0)=True" }.joined(separator: ";") + "}" },
            { "{" + (0..<$0).map { "\"k\($0)\":true" }.joined(separator: ",") + "}" }
        ),
        (
            "comments and missing commas",
            { "[" + (0..<$0).map { "\($0) // no\n" }.joined() + "]" },
            { count in "[" + (0..<count).map { "\($0)\($0 == count - 1 ? "" : ",") \n" }.joined() + "]" }
        ),
        (
            "one key again and again",
            { "{\"a\":1" + (0..<$0).map { _ in ", \"a\":1" }.joined() + "}" },
            { _ in "{\"a\":1}" }
        ),
        (
            "keys again, each once",
            { "{" + (0..<$0).map { "\"k\($0)\":[],\"k\($0)\":[]" }.joined(separator: ",") + "}" },
            { "{" + (0..<$0).map { "\"k\($0)\":[]" }.joined(separator: ",") + "}" }
        ),
    ]

    @Test(arguments: kinds.indices) func `everything is mended in few readings, however much it is`(kind: Int) {
        var rounds: Set<Int> = []
        for size in [250, 500, 1000, 2000] {
            var work = RepairWork(bytes: Array(Self.kinds[kind].broken(size).utf8), context: LintContext())
            let mended = work.mendAll()
            #expect(
                String(decoding: work.bytes, as: UTF8.self) == Self.kinds[kind].mended(size), "\(Self.kinds[kind].name)"
            )
            #expect(mended.count >= size)
            rounds.insert(work.rounds)
        }
        #expect(rounds.count == 1, "\(Self.kinds[kind].name): \(rounds)")
        #expect(rounds.allSatisfy { $0 <= 4 }, "\(Self.kinds[kind].name): \(rounds)")
    }

    @Test func `each of very many has its line, its column and its path`() throws {
        let json = "{\"x\":[\n" + (0..<3000).map { _ in "{\"a\":1,\"a\":1}" }.joined(separator: ",\n") + "]}"
        let mended = PayloadLint.repaired(Array(json.utf8)).mended
        #expect(mended.count == 3000)
        for (index, finding) in mended.enumerated() {
            #expect(finding.subject == "payload.x[\(index)].a")
            #expect(finding.location?.line == index + 2)
            #expect(finding.location?.column == 8)
        }
    }

    @Test func `of many keys in other letters none is taken for the only one`() {
        let others = (0..<60).map { "\"own\($0)\":1" }.joined(separator: ",")
        let json = "{\"aps\":{\"alert\":\"x\",\"contentAvailable\":1,\(others),\"content_available\":0}}"
        #expect(PayloadLint.repaired(Array(json.utf8)).mended.isEmpty)
    }
}
