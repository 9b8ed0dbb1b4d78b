import APNSVocabulary
import ArgumentParser
import Foundation
import PushCommandLine
import PushPlatform
import TestSupport
import Testing

@testable import pushsend

@Suite struct ExplanationTests {
    @Test(arguments: RejectionReason.known)
    func `every known reason is explained, with whose fault it is and what to do`(reason: RejectionReason) throws {
        let explanation = try #require(Explanation.find(reason.rawValue))
        #expect(explanation.term == reason.rawValue)
        #expect(explanation.kind == .reason)
        #expect(explanation.fault == reason.explanation?.fault)
        #expect(explanation.fault?.isEmpty == false)
        #expect(explanation.status == reason.explanation?.status)
        #expect(!explanation.steps.isEmpty)
    }

    /// Read from the source: a reason without an explanation is not among the known ones.
    @Test func `every reason that has a name is a known one`() throws {
        let source = try Page.text("Sources/APNSVocabulary/RejectionReason.swift")
        let named = source.matches(of: /public static let \w+: Self = "(\w+)"/).map { String($0.output.1) }
        #expect(named.count > 35)
        #expect(Set(named) == Set(RejectionReason.known.map(\.rawValue)))
    }

    @Test func `every status of a reason is explained, and 200`() {
        let statuses = Set(RejectionReason.known.compactMap { $0.explanation?.status } + [200])
        #expect(Set(Explanation.statuses.compactMap(\.status)) == statuses)
    }

    // MARK: Pages

    @Test func `each explanation names a page of the site`() throws {
        let navigation = try Page.text("mkdocs.yml")
        let pages = Set(Explanation.all.compactMap(\.page))
        #expect(pages.count > 5)
        for page in pages {
            let parts = page.split(separator: "#").map(String.init)
            let file = try #require(parts[0].split(separator: "/").last)
            #expect(parts[0] == "docs/\(file)" && navigation.contains(": \(file)\n"), "\(page)")
            guard parts.count > 1 else { continue }
            let headings = try Page.text(parts[0]).split(separator: "\n").filter { $0.hasPrefix("#") }.map {
                $0.drop { "# ".contains($0) }.lowercased().replacing(" ", with: "-")
            }
            #expect(headings.contains(parts[1]), "\(page)")
        }
    }

    @Test func `the address of a page is on the site, or where a variable says`() {
        #expect(Documentation.address([:]) == Documentation.site)
        #expect(
            Documentation.address(of: "docs/device-tokens.md", [:]) == Documentation.site + "device-tokens.html")
        for folder in ["file:///usr/share/doc/site", "file:///usr/share/doc/site/"] {
            let there: Variables = ["PUSHPROVIDER_DOCS": folder]
            #expect(Documentation.address(of: "docs/batch.md", there) == "file:///usr/share/doc/site/batch.html")
            #expect(Documentation.address(of: "docs/batch.md#run", there).hasSuffix("/site/batch.html#run"))
        }
        #expect(Documentation.address(["PUSHPROVIDER_DOCS": ""]) == Documentation.site)
    }

    @Test func `the page of limits has Apple's sizes`() throws {
        let page = try Page.text("docs/json-and-exit-codes.md")
        for (name, bytes) in [
            ("payload", APNSLimit.payloadBytes), ("payload of a VoIP push", APNSLimit.voipPayloadBytes),
            ("payload of a broadcast", APNSLimit.broadcastPayloadBytes),
        ] {
            #expect(page.contains("| \(name) | \(bytes / 1000),\(String(bytes).suffix(3)) bytes |"), "\(name)")
        }
        #expect(page.contains("| collapse id | \(APNSLimit.collapseIDBytes) bytes |"))
        #expect(page.contains("| device token | \(APNSLimit.deviceTokenHexDigits) hex digits |"))
        #expect(APNSLimit.channels == 10_000 && page.contains("| 10,000 for each app and environment |"))
        #expect(APNSLimit.storageSeconds == 30 * 86_400 && page.contains("up to 30 days"))
        #expect(page.contains("the newest, for 8 hours"))
    }

    @Test func `an explanation ends with the address of its page`() {
        let text = Explanation.find("BadDeviceToken")?.text ?? ""
        #expect(text.hasSuffix("\nMore: \(Documentation.address(of: "docs/device-tokens.md"))"), "\(text)")
    }

    // MARK: Exit codes

    /// Read from the source, so that no new one is forgotten.
    @Test func `every exit code is explained, and has its row in the documentation and in the help`() throws {
        let source = try Page.text("Sources/PushCommandLine/CommandFailure.swift")
        let codes = source.matches(of: /= ExitStatus\(code: (\d+)/).map { String($0.output.1) }
        #expect(codes.count > 10)
        #expect(Explanation.exitCodes.map(\.term) == codes)
        #expect(try Self.rows("docs/json-and-exit-codes.md") == codes)
        let text = HelpText.adding("EXIT CODES", Explanation.exitCodeRows, to: Pushsend.helpMessage(columns: 80))
        let help = text.matches(of: #/(?m)^  (\d+) +\w/#).map { String($0.output.1) }
        #expect(help == codes)
    }

    @Test func `each push type is explained, with its topic`() {
        for type in PushType.known {
            let explanation = Explanation.find(type.rawValue)
            #expect(explanation?.term == "push-type", "\(type)")
            #expect(explanation?.steps.contains { $0.hasPrefix("\(type): ") } == true)
        }
        #expect(Explanation.find("accessory")?.steps.last?.contains(".push-type.accessory") == true)
    }

    @Test func `the exit codes in the table of campaigns exist`() throws {
        let rows = try Self.rows("docs/batch.md")
        #expect(rows.count > 3)
        #expect(Set(rows).subtracting(Explanation.exitCodes.map(\.term)) == [])
    }

    @Test(arguments: ["docs/batch.md", "docs/json-and-exit-codes.md"])
    func `the order that a page gives for several outcomes is that of the statuses`(page: String) throws {
        let outcomes: [PushCommandLine.ExitStatus] = [
            .success, .rejected, .cannotConnect, .tryAgain, .unknown, .credentials,
        ]
        let worstFirst = outcomes.sorted(by: >).map { String($0.code) }.joined(separator: ", ")
        let text = try Page.text(page)
        let order = try #require(text.firstMatch(of: #/exit code is the first of these [^:]*: ([\d, ]+)\./#)).output.1
        #expect(order == worstFirst)
    }

    /// A number in a help text would stay when the exit code changes.
    @Test func `no command writes the number of an exit code itself`() throws {
        let folder = "Sources/pushsend"
        let files = try FileManager.default.subpathsOfDirectory(atPath: Repository.url(folder).path())
            .filter { $0.hasSuffix("Command.swift") || $0 == "Pushsend.swift" }
        #expect(files.count > 15)
        for file in files {
            let text = try Page.text("\(folder)/\(file)").replacing("\n", with: " ")
            let number = text.firstMatch(of: /[Ee]xit(?: codes?| with).{0,200}?[ ,](?:6[4-9]|7[0-8]|130)[ ,]/)
            #expect(number == nil, "\(file)")
        }
    }

    /// The codes of the rows of a page's tables, `73, 74` as two.
    private static func rows(_ page: String) throws -> [String] {
        try Page.text(page).matches(of: #/(?m)^\| (\d+(?:, \d+)*) \| /#).flatMap { match in
            match.output.1.split(separator: ", ").map(String.init)
        }
    }

    // MARK: Outcomes

    @Test func `every outcome of a push is explained`() {
        #expect(Explanation.outcomes.map(\.term) == ["accepted", "rejected", "not-sent", "unknown"])
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
        #expect(explanation.page.map { Page.exists(String($0.prefix { $0 != "#" })) } ?? true)
    }

    @Test(arguments: Explanation.all)
    func `each word that a text sends to is explained`(explanation: Explanation) {
        for match in explanation.text.replacing("\n", with: " ").matches(of: /pushsend explain ([\w-]+)/) {
            let word = String(match.output.1)
            #expect(word == "REASON" || Explanation.find(word) != nil)
        }
    }

    @Test func `a word is explained once, whatever its kind`() {
        let spellings = Explanation.all.flatMap { [$0.term] + $0.aliases }.map { $0.lowercased() }
        #expect(Set(spellings).count == spellings.count)
    }

    @Test func `the list of what can be explained has every word, in 80 columns`() {
        let words = Set(Explanation.list.split { $0.isWhitespace || $0 == "," }.map(String.init))
        #expect(Set(Explanation.all.map(\.term)).subtracting(words) == [])
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

/// A file of this clone, for tests that hold code and documentation against each other.
enum Page {
    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: Repository.url(path).path())
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: Repository.url(path), encoding: .utf8)
    }
}
