import APNSVocabulary
import DeliveryReports
import Foundation
import PushLint
import TestSupport
import Testing

/// What pages state as facts, held against what the program does.
@Suite struct PageFactTests {
    private static let pages: [(name: String, text: String)] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Repository.url("docs").path())) ?? []
        return (names.filter { $0.hasSuffix(".md") }.map { "docs/\($0)" } + ["README.md"]).sorted().map {
            ($0, Repository.text($0))
        }
    }()

    /// The row of a table that begins with a cell.
    private func row(_ cell: String, of page: String) throws -> [String] {
        let line = try #require(Repository.text(page).split(separator: "\n").first { $0.hasPrefix("| \(cell) |") })
        return line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// If you don't store when a token was registered, its fate is always unclear: the app may have registered it again since.
    @Test func `no example deletes a device token whose fate is unclear`() throws {
        var found = 0
        for page in Self.pages {
            let lines = page.text.split(separator: "\n", omittingEmptySubsequences: false)
            for (line, next) in zip(lines, lines.dropFirst()) where line.contains("case .unclear") {
                found += 1
                let code = String(line) + (line.hasSuffix(":") ? String(next) : "")
                #expect(!code.lowercased().contains("delete"), "\(page.name): \(code)")
            }
        }
        #expect(found > 0)
        #expect(try !row("`unclear`", of: "docs/outcomes-and-retries.md").joined().lowercased().contains("delete"))
    }

    @Test(arguments: [
        "README.md", "docs/batch.md", "docs/outcomes-and-retries.md", "docs/rich-notifications.md", "docs/service.md",
    ])
    func `each page about outcomes says that an older push is never started after a newer one`(page: String) {
        let text = Repository.text(page).replacing(/\s+/, with: " ")
        #expect(text.contains(/older (one|push|line) (is \[?never started|never goes out) after (the|a) newer/))
        #expect(text.contains("`superseded`"))
    }

    /// Keys, dumps and secrets of samples aren't readable for others, not even for a moment.
    @Test func `samples that write secrets keep them private`() {
        var found = 0
        for page in Self.pages {
            for sample in page.text.split(separator: "```sh\n").dropFirst().map({ $0.prefix { $0 != "`" } }) {
                for line in sample.split(separator: "\n")
                where line.contains(#/key create .*> |whsec_.*> |-keyout |-nodes -out |\.backup |pg_dump /#) {
                    found += 1
                    let before = sample[..<line.endIndex]
                    #expect(before.contains("umask 077"), "\(page.name): \(line)")
                }
            }
        }
        #expect(found >= 6)
    }

    @Test(arguments: ["docs/service-operations.md", "deploy/compose/create-queue"])
    func `the set-up of a database for the queue keeps other roles out`(page: String) {
        #expect(Repository.text(page).contains("REVOKE CONNECT ON DATABASE pushserve FROM PUBLIC;"))
    }

    @Test func `the page about installing names both programs`() {
        let page = Repository.text("docs/install.md")
        for word in ["`pushsend`", "`pushserve`", "libpq", "SQLite"] { #expect(page.contains(word), "\(word)") }
    }

    /// `send` counts tries, and tries again.
    @Test func `no page limits the number of attempts to one`() throws {
        let rows = Self.pages.flatMap { page in
            page.text.split(separator: "\n").filter { $0.hasPrefix("| `attempts` |") }.map { (page.name, $0) }
        }
        #expect(!rows.isEmpty)
        for (name, row) in rows { #expect(!row.contains("0 or 1"), "\(name): \(row)") }
    }

    @Test func `what a key can't send are the topics that lint asks a certificate for, and Wallet isn't one`() throws {
        let cells = try row("can't send", of: "docs/credentials.md")
        let ofKey = try #require(cells.dropFirst().first)
        let certain = ofKey.prefix { $0 != "." }
        for (topic, word) in [
            ("pass.com.example.card", "Wallet"), ("order.com.example.shop", "Wallet"), ("web.com.example", "Safari"),
            ("com.apple.mgmt.External.1", "MDM"),
        ] {
            let isWallet = SpecialTopic(topic) == .wallet
            #expect(certain.contains(word) != isWallet, "\(topic): \(ofKey)")
            // What isn't known isn't refused.
            guard isWallet else { continue }
            let findings = PayloadLint.findings(in: Array("{}".utf8), LintContext(topic: topic))
            #expect(findings.isEmpty, "\(topic): \(findings)")
        }
    }

    @Test func `each push type that is known has a row on the page about kinds of pushes`() {
        let page = Repository.text("docs/rich-notifications.md")
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `.") }
        for type in PushType.known {
            #expect(rows.contains { $0.contains("| `\(type)` |") }, "\(type)")
        }
    }

    /// Apple reports subscribers, and `pushsend delivery` asks for them.
    @Test func `no page says that the subscribers of a channel can't be known`() {
        for page in Self.pages {
            for sentence in page.text.replacing("\n", with: " ").split(separator: ".") where sentence.contains("ubscri")
            {
                let denies = [
                    "doesn't report", "doesn't say how many", "no way to know", "never reports", "can't know",
                ]
                #expect(!denies.contains { sentence.contains($0) }, "\(page.name): \(sentence)")
            }
        }
        #expect(Repository.text("docs/diagnose.md").contains("`--broadcasts`"))
    }

    @Test func `the days of an export of delivery counts are those that the program takes`() {
        let page = Repository.text("docs/diagnose.md")
        #expect(page.contains("the last \(PushDeliveryReports.mostDays) days"))
    }
}
