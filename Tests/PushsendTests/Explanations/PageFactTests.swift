import APNSVocabulary
import DeliveryReports
import Foundation
import PushLint
import TestSupport
import Testing
import VirtualPhones

/// What pages state as facts, held against what the program does.
@Suite struct PageFactTests {
    /// Those of the site, of the packages' documentation, and the README.
    private static let pages: [(name: String, text: String)] = {
        let names = ["docs", "Sources"].flatMap { folder in
            ((try? FileManager.default.subpathsOfDirectory(atPath: Repository.url(folder).path())) ?? [])
                .filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
        }
        return (names + ["README.md"]).sorted().map { ($0, Repository.text($0)) }
    }()

    /// The lines of a section.
    private func section(_ heading: String, of page: String) -> ArraySlice<Substring> {
        let lines = Repository.text(page).split(separator: "\n").drop { $0 != heading }.dropFirst()
        return lines.prefix { !$0.hasPrefix("#") }
    }

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
        // docs/swift.md and GettingStarted.md.
        #expect(found >= 2)
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
        for (name, row) in rows { #expect(row.contains("more after retries"), "\(name): \(row)") }
    }

    @Test func `what a key can't send are the topics that lint asks a certificate for, and Wallet isn't one`() throws {
        let cells = try row("can't send", of: "docs/credentials.md")
        let ofKey = try #require(cells.dropFirst().first)
        let certain = ofKey.prefix { $0 != "." }
        for (topic, word) in [
            ("pass.com.example.card", "passes"), ("order.com.example.shop", "orders"), ("web.com.example", "Safari"),
            ("com.apple.mgmt.External.1", "MDM"),
        ] {
            let isWallet = SpecialTopic(topic) == .wallet
            #expect(ofKey.contains(word) && certain.contains(word) != isWallet, "\(topic): \(ofKey)")
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

    /// What programs can't show, because only Apple and phones know it.
    @Test(arguments: [
        ("docs/rich-notifications.md", "a device drops a start without one, and APNs still answers 200"),
        ("docs/rich-notifications.md", "makes the update token only when the user has tapped Allow"),
        ("docs/rich-notifications.md", "Since iOS 26.4, `PKVoIPPushMetadata.mustReport` tells the app whether"),
        ("docs/rich-notifications.md", "Widgets need iOS 26. Controls need iOS 18, macOS 26 or watchOS 26."),
        ("docs/rich-notifications.md", "About VoIP on watchOS, Apple's pages contradict each other."),
        ("docs/rich-notifications.md", "since iOS 26, in the Mac's menu bar and on CarPlay"),
        ("docs/rich-notifications.md", "an app can have about five at a time"),
        ("docs/rich-notifications.md", "Wallet the pass type id or order type id"),
        ("docs/phones.md", "APNs stores several pushes for each app; Apple's pages disagree"),
    ])
    func `what Apple says of kinds of pushes, and where it contradicts itself, is on the pages`(
        page: String, fact: String
    ) {
        let isStated = Repository.text(page).replacing(/\s+/, with: " ").contains(fact)
        #expect(isStated)
    }

    @Test(arguments: ["docs/rich-notifications.md", "docs/phones.md"])
    func `the budget for starts of Live Activities is that of the phones`(page: String) throws {
        let starts = try #require(PhoneProfile.ActivityRules().starts)
        let isStated = Repository.text(page).contains("about \(starts) starts in a short time")
        #expect(isStated)
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
        #expect(page.contains("the last \(PushDeliveryReports.maximumDays) days"))
    }

    // MARK: Other senders

    @Test func `a short flag of curl that means something else here is said to`() throws {
        let own = Set(OptionTests.all.filter { $0.command == ["send"] }.flatMap(\.names))
        var found: Set<String> = []
        for row in section("## From curl", of: "docs/migrate.md") where row.hasPrefix("| `") {
            let cells = row.split(separator: " | ")
            for flag in cells[0].matches(of: /`(-[a-zA-Z])\b/).map({ String($0.1) }) where own.contains(flag) {
                found.insert(flag)
                #expect(cells[1].contains("**`\(flag)` is "), "\(row)")
            }
        }
        #expect(found == ["-d", "-m"])
    }

    @Test func `the short flags that people keep when they come from houston are there`() throws {
        let row = try row("NWPusher, `apn push` of houston", of: "docs/migrate.md").joined()
        let kept = try #require(row.firstMatch(of: /houston's (.+?) work the same way here/)?.1)
        let own = OptionTests.all.filter { $0.command == ["send"] }.flatMap(\.names)
        let flags = kept.matches(of: /-[a-z]/).map { String($0.output) }
        #expect(flags.count == 5 && flags.allSatisfy(own.contains))
    }

    /// The ways that were tried. Others end at Apple's host, or at a certificate that isn't trusted.
    @Test(arguments: [
        ("a2 (Rust)", ["[patch.crates-io] webpki-roots", "in standard base64: noted"]),
        ("pushok (PHP)", ["CURLOPT_CONNECT_TO", "CURLOPT_CAINFO", "name `ES512`, signed with SHA-512: noted"]),
        ("apns2 (Go)", ["legacy.p12", "client.p12?legacy=true"]),
    ])
    func `a sender that needs a way of its own to the mock has it in the table`(sender: String, words: [String]) throws
    {
        let row = try row(sender, of: "docs/mock.md").joined()
        for word in words { #expect(row.contains(word), "\(row)") }
    }

    @Test func `as many senders are noted for an iat that is text as the mock knows`() throws {
        let noted = section("## Other senders", of: "docs/mock.md").filter { $0.contains("`iat` is a string: noted") }
        #expect(noted.map { $0.dropFirst(2).prefix { $0.isLetter } } == ["kalyke", "APNSwift"])
        let fidelity = Repository.text("docs/mock-fidelity.md")
        #expect(fidelity.split(separator: "\n").contains { $0.contains("iat is a string. Two clients send this") })
    }

    /// As they were seen to.
    @Test(arguments: [
        ("what wasn't processed is resent", ["apns2", "gorush", "curl", "pushok with a certificate"]),
        ("resends even what was processed", ["aioapns"]),
        ("end with an error", ["httpx", "kalyke", "PyAPNs2", "node-apn", "pushy", "APNSwift", "rpush"]),
    ])
    func `each sender stands once where the page says what it does after GOAWAY`(end: String, senders: [String]) throws
    {
        let lines = section("### What senders do after GOAWAY", of: "docs/mock.md").filter { $0.hasPrefix("- ") }
        for sender in senders {
            let line = lines.filter { $0.contains(sender) }
            #expect(line.count == 1 && line[0].contains(end), "\(sender): \(line)")
        }
    }
}
