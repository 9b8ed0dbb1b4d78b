import APNSVocabulary
import Testing

@testable import pushsend

@Suite struct ExplanationTests {
    @Test(arguments: RejectionReason.known)
    func `every known reason is explained, with whose fault it is and what to do`(reason: RejectionReason) throws {
        let explanation = try #require(Explanation.find(reason.rawValue))
        #expect(explanation.word == reason.rawValue)
        #expect(explanation.kind == .reason)
        #expect(explanation.fault == reason.explanation?.fault)
        #expect(explanation.fault?.isEmpty == false)
        #expect(explanation.status == reason.explanation?.status)
        #expect(!explanation.steps.isEmpty)
    }

    @Test func `every status of a reason is explained, and 200`() {
        let statuses = Set(RejectionReason.known.compactMap { $0.explanation?.status } + [200])
        #expect(Set(Explanation.statuses.compactMap(\.status)) == statuses)
    }

    /// Read from the source, so that no new one is forgotten; 78 is kept for profiles.
    @Test func `every exit code is explained, and has its row in the documentation`() throws {
        let source = try Page.text("Sources/pushsend/Terminal/CommandFailure.swift")
        let codes = source.matches(of: /= ExitStatus\(code: (\d+)/).map { String($0.output.1) }
        #expect(codes.count > 10)
        #expect(Set(Explanation.exitCodes.map(\.word)) == Set(codes + ["78"]))
        let page = try Page.text("docs/json-and-exit-codes.md")
        let rows = page.matches(of: #/(?m)^\| (\d+) \| /#).map { String($0.output.1) }
        #expect(rows == Explanation.exitCodes.map(\.word))
    }

    @Test func `every outcome of a push is explained`() {
        #expect(Explanation.outcomes.map(\.word) == ["accepted", "rejected", "not-sent", "unknown"])
    }

    // MARK: Texts

    @Test(arguments: Explanation.all)
    func `what a terminal shows has no line over 80 columns`(explanation: Explanation) {
        let lines = explanation.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.filter { $0.count > 80 } == [])
        #expect(lines.filter { $0.last == " " } == [])
    }

    @Test(arguments: Explanation.all)
    func `each page that is referred to exists`(explanation: Explanation) {
        #expect(explanation.page.map(Page.exists) ?? true)
    }

    @Test(arguments: Explanation.all)
    func `each word that a text sends to is explained`(explanation: Explanation) {
        for match in explanation.text.replacing("\n", with: " ").matches(of: /pushsend explain ([\w-]+)/) {
            let word = String(match.output.1)
            #expect(word == "REASON" || Explanation.find(word) != nil)
        }
    }

    @Test func `a word is explained once, whatever its kind`() {
        let spellings = Explanation.all.flatMap { [$0.word] + $0.aliases }.map { $0.lowercased() }
        #expect(Set(spellings).count == spellings.count)
    }

    @Test func `the list of what can be explained has every word, in 80 columns`() {
        let words = Set(Explanation.list.split { $0.isWhitespace || $0 == "," }.map(String.init))
        #expect(Set(Explanation.all.map(\.word)).subtracting(words) == [])
        #expect(Explanation.list.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    // MARK: Nothing arrived

    @Test func `nothing-arrived fits a screen, with each of its numbered points`() throws {
        let text = try #require(Explanation.find("nothing-arrived")).text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count < 60)
        let numbers = lines.compactMap { $0.prefixMatch(of: #/ ?(\d+)\. /#).flatMap { Int($0.output.1) } }
        #expect(numbers == Array(1...18))
    }

    /// The causes that people meet, in the order of what they can check themselves.
    @Test(arguments: [
        (1, "willPresent"), (2, "Provisional"), (3, "Focus"), (3, "passive"), (4, "installation"), (5, "TestFlight"),
        (6, "content-available"), (7, "Background App Refresh"), (8, "--expires once"), (9, "collapse id"),
        (10, "Priority"), (11, "extension"), (12, "Watch"), (13, "5223"), (14, "restored"), (15, "simulator"),
        (16, "Live Activity"), (17, "apns-unique-id"), (18, "apsd"),
    ])
    func `nothing-arrived covers its causes`(number: Int, word: String) throws {
        let steps = try #require(Explanation.find("nothing-arrived")).steps
        #expect(steps[number - 1].contains(word))
    }
}
