import Foundation
import MockAPNs
import PushProvider
import TestSupport
import Testing

/// Campaigns from the first line to the last.
@Suite(.takingTurns) struct BatchTests {
    /// 300 lines, and each answer says that the token does not fit.
    @Test(arguments: [
        ([], 75, 100...199), (["--mismatch", "90%/30"], 75, 30...59), (["--mismatch", "off"], 0, 300...300),
    ])
    func `a campaign whose tokens do not fit is stopped when it was asked to`(
        flags: [String], status: Int32, requests: ClosedRange<Int>
    ) async throws {
        let wrong = MockFault(steps: [.answer(status: 400, reason: .badDeviceToken)])
        try await CampaignGround.with([wrong]) { ground in
            try ground.workspace.write((0..<300).map { CampaignGround.token($0) }.joined(separator: "\n"), to: "lines")
            let ended = try await ground.start(["lines", "-m", "Hello", "--json"] + flags).end()
            #expect(ended.status == status, "\(ended.errors)")
            #expect(requests.contains(ground.mock.arrivalCount))
            // What may be the fault of the setup is not final.
            #expect(ended.json["rejected"]?.integer == (status == 0 ? 300 : 0), "\(ended.output)")
        }
    }

    @Test func `CSV, a template, and a result for each line that joins on the row`() async throws {
        try await CampaignGround.with { ground in
            let people = #"""
                token,ref,name,badge
                \#(CampaignGround.token(1)),17,Ann,3
                \#(CampaignGround.token(2)),18,"O'Hara ""Scarlett""",
                xyz,19,Nobody,1
                """#
            try ground.workspace.write(people, to: "people.csv")
            let ended = try await ground.batch(
                "people.csv", "--payload", #"{"aps":{"alert":"Hello {{name}}","badge":"{{badge:number|1}}"}}"#)
            #expect(ended.status == 0, "\(ended.errors)")
            let results = try ground.results("people.csv.pushsend")
                .sorted { $0["line"]?.integer ?? 0 < $1["line"]?.integer ?? 0 }
            #expect(results.map { $0["ref"]?.string } == ["17", "18", "19"])
            #expect(results.map { $0["outcome"]?.string } == ["accepted", "accepted", "not_sent"])
            #expect(results[2]["reason"] == "invalid")
            #expect(results[0]["apns_id"]?.string?.count == 36)
            let payloads = ground.mock.arrivals.map(\.payload)
            #expect(
                Set(payloads) == [
                    #"{"aps":{"alert":"Hello Ann","badge":3}}"#,
                    #"{"aps":{"alert":"Hello O'Hara \"Scarlett\"","badge":1}}"#,
                ])
            #expect(try ground.workspace.mode(of: "people.csv.pushsend") == 0o700)
            for file in ["results.jsonl", "gone", "again.jsonl", "unknown.jsonl", "journal", "summary.json"] {
                #expect(try ground.workspace.mode(of: "people.csv.pushsend/\(file)") == 0o600)
            }
        }
    }

    @Test func `an older line is not sent again over a newer one, and that is no error`() async throws {
        let token = CampaignGround.token(7)
        let busy = MockFault(
            when: MockFault.Matcher(deviceToken: try DeviceToken(token)), steps: [.answer(status: 503)], times: 1)
        try await CampaignGround.with([busy]) { ground in
            let lines = ["1:0", "2:0"].map {
                #"{"token":"\#(token)","collapse_id":"score","payload":{"aps":{"alert":"\#($0)"}}}"#
            }
            let input = lines.joined(separator: "\n")
            let check = try await ground.batch("-", "--out", "o", "--dry-run", input: input)
            #expect(check.output.contains("2 lines replace each other"), "\(check.output)")
            let ended = try await ground.batch("-", "--out", "o", "--fail-on-rejected", "--json", input: input)
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(ground.mock.arrivals.map { $0.payload.contains("2:0") ? 2 : 1 } == [1, 2])
            #expect(ended.json["superseded"]?.integer == 1 && ended.json["not_sent"]?.integer == 0)
            #expect(ended.json["totals"]?["superseded"]?.integer == 1)
            #expect(ended.json["reasons"]?["superseded"]?.integer == 1)
            let reasons = try ground.results("o").map { $0["reason"]?.string ?? "" }
            #expect(reasons.sorted() == ["", "superseded"])
            #expect(try ground.workspace.read("o/again.jsonl") == "")
        }
    }

    @Test func `a finished campaign is not sent again, unless it starts again`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("\(CampaignGround.token(1))\n\(CampaignGround.token(2))\n", to: "tokens")
            #expect(try await ground.batch("tokens", "-m", "Hello").status == 0)
            let again = try await ground.batch("tokens", "-m", "Hello")
            #expect(again.status == 0)
            #expect(again.errors.contains("--restart"))
            #expect(ground.mock.arrivalCount == 2)
            #expect(try await ground.batch("tokens", "-m", "Hello", "--restart", "--durable").status == 0)
            #expect(ground.mock.arrivalCount == 4)
            #expect(try ground.results("tokens.pushsend").count == 2)
        }
    }

    @Test func `from standard input, streamed, and only once when it is read again`() async throws {
        try await CampaignGround.with { ground in
            let lines = (1...50).map { #"{"token":"\#(CampaignGround.token($0))","ref":{"row":\#($0)}}"# }
            let first = try await ground.batch(
                "-", "-m", "Hello", "--out", "out", "--results", "-", "--sample", "50",
                input: lines.joined(separator: "\n"))
            #expect(first.status == 0, "\(first.errors)")
            #expect(first.output.split(separator: "\n").count == 50)
            #expect(JSON(parsing: String(first.output.split(separator: "\n")[0]))["ref"]?["row"] != nil)
            // Whoever wrote it was ended before the last lines.
            let more = lines + (51...60).map { #"{"token":"\#(CampaignGround.token($0))"}"# }
            let second = try await ground.batch(
                "-", "-m", "Hello", "--out", "out", "--sample", "50", input: more.joined(separator: "\n"))
            #expect(second.status == 0, "\(second.errors)")
            #expect(ground.mock.arrivalCount == 50)
            let short = try await ground.batch(
                "-", "-m", "Hello", "--out", "all", input: lines.joined(separator: "\n"))
            #expect(short.status == 0, "\(short.errors)")
            let whole = try await ground.batch(
                "-", "-m", "Hello", "--out", "all", "--json", "--report", ground.workspace.path("page.html"),
                input: more.joined(separator: "\n"))
            #expect(whole.json["before"] == 50)
            #expect(whole.json["accepted"] == 10)
            #expect(whole.json["ms"]?["p50"] != nil)
            #expect(ground.mock.arrivalCount == 110)
            let page = try ground.workspace.read("page.html")
            #expect(page.hasPrefix("<!doctype html>") && page.contains("accepted"))
            #expect(
                page.contains("<pre>{&quot;aps&quot;:{&quot;alert&quot;:{&quot;body&quot;:&quot;Hello&quot;}}}</pre>"))
            let time = /<dt>(Began|This run began|Ended)<\/dt><dd>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC<\/dd>/
            #expect(page.matches(of: time).map { String($0.1) } == ["Began", "This run began", "Ended"])
            // What there is to be done is done: the times are those of before.
            let again = try await ground.batch(
                "-", "-m", "Hello", "--out", "all", "--report", ground.workspace.path("page.html"),
                input: more.joined(separator: "\n"))
            #expect(again.status == 0, "\(again.errors)")
            let later = try ground.workspace.read("page.html").matches(of: time).map { String($0.output.0) }
            #expect(later.first == page.firstMatch(of: time).map { String($0.output.0) })
            #expect(later.count == 2)
        }
    }

    @Test func `Ctrl-C waits for what is under way, and the same command goes on`() async throws {
        try await CampaignGround.with { ground in
            // More lines could follow, so the campaign cannot end before Ctrl-C.
            let (written, count) = (300, 400)
            let writer = SlowWriter()
            let program = try ground.start(["-", "-m", "Hello", "--out", "out", "--rate", "200/s"], from: writer)
            try writer.write(1...written)
            _ = try await ground.mock.arrival(20, within: .seconds(120))
            program.interrupt()
            let ended = await program.end()
            try writer.close()
            #expect(!ended.wasTooSlow)
            #expect(ended.status == 130, "\(ended.errors)")
            #expect(ended.errors.contains("The campaign was interrupted."), "\(ended.errors)")
            #expect(ended.errors.contains("same command"))
            #expect(JSON(parsing: try ground.workspace.read("out/summary.json"))["finished"] == false)
            // On a slow machine, Ctrl-C may come when all lines that were written have been sent.
            let before = try ground.results("out").count
            #expect((20...written).contains(before))
            #expect(try ground.results("out").allSatisfy { $0["outcome"] == "accepted" })
            let lines = String(decoding: SlowWriter.lines(1...count), as: UTF8.self)
            let last = try await ground.batch("-", "-m", "Hello", "--out", "out", "--json", input: lines)
            #expect(last.json["before"]?.integer == before)
            #expect(last.status == 0, "\(last.errors)")
            #expect(try ground.results("out").count == count)
            #expect(ground.mock.arrivalCount == count)
        }
    }

    @Test func `dead tokens, lines to be sent again, and duplicates have their files`() async throws {
        let dead = CampaignGround.token(7)
        let fault = MockFault(
            when: MockFault.Matcher(deviceToken: try DeviceToken(dead)),
            steps: [.answer(status: 410, reason: .unregistered, timestamp: Date(timeIntervalSince1970: 1_700_000_000))])
        try await CampaignGround.with([fault]) { ground in
            let lines = """
                {"token":"\(dead)","registered_at":1600000000}
                {"token":"\(CampaignGround.token(8))"}
                {"token":"\(CampaignGround.token(8))"}
                """
            try ground.workspace.write(lines, to: "lines")
            let ended = try await ground.batch("lines", "-m", "Hello", "--skip-duplicates", "--fail-on-rejected")
            #expect(ended.status == 1)
            #expect(try ground.workspace.read("lines.pushsend/gone") == "\(dead)\n")
            let reasons = try ground.results("lines.pushsend").compactMap { $0["reason"]?.string }
            #expect(Set(reasons) == ["Unregistered", "duplicate"])
        }
    }

    @Test func `a dry run names the lines that cannot be sent, and sends nothing`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("{\"token\":\"00\",\"vars\":{\"a\":1}}\n{\"token\":\"01\"}\n{\n", to: "lines")
            let ended = try await ground.batch("lines", "-m", "Hello {{a}}", "--dry-run")
            #expect(ended.status == 65)
            #expect(ended.errors.contains("lines:2: The payload needs \"a\""))
            #expect(ended.errors.contains("lines:3: The line isn't JSON"))
            #expect(ended.output.contains("3 lines, 2 of them can't be sent"))
            #expect(ground.mock.arrivalCount == 0)
            #expect(!ground.workspace.exists("lines.pushsend"))
        }
    }

    @Test(arguments: [
        (#"{"token":"00","vars":{"name":"Ann"}}"#, "Hi {{nmae|there}}", "Did you mean {{name|there}}?"),
        ("token,name\n00,Ann", "Hi {{nmae|there}}", "Did you mean {{name|there}}?"),
        ("token,name\n00,Ann", "Hi ${name}", "A placeholder is written {{name}}."),
        (#"{"token":"00","vars":{"name":"Ann"}}"#, "Hi %name%", "A placeholder is written {{name}}."),
        ("token,name\n00,Ann", #"Hi {{ name | default: "there" }}"#, "{{name|there}}"),
    ])
    func `what looks like a placeholder and is none is not sent to everybody`(
        lines: String, text: String, advice: String
    ) async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write(lines + "\n", to: "lines")
            let check = try await ground.batch("lines", "-m", text, "--dry-run")
            #expect(check.status == 65 && check.errors.contains(advice), "\(check.errors)")
            #expect(!check.output.contains("0 of them can't be sent"), "\(check.output)")
            let ended = try await ground.batch("lines", "-m", text)
            #expect(ended.errors.contains(advice) && ended.status == 65, "\(ended.errors)")
            #expect(ground.mock.arrivalCount == 0)
        }
    }

    @Test func `a placeholder that no line fills is noted before a campaign begins`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("token,city\n00,Oslo\n", to: "lines")
            for flags in [["--dry-run"], []] {
                let ended = try await ground.start(["lines", "-m", "{{nickname|Hi}} {{city}}"] + flags).end()
                #expect(
                    ended.status == 0 && ended.errors.contains("No line has a value for {{nickname|Hi}}"),
                    "\(ended.errors)")
            }
            #expect(ground.mock.arrivalCount == 1)
        }
    }

    @Test func `a payload that breaks a rule is reported and not sent, unless the lint is off`() async throws {
        try await CampaignGround.with { ground in
            let token = CampaignGround.token(1)
            try ground.workspace.write(
                """
                {"token":"\(token)","vars":{"badge":1}}
                {"token":"\(token)","vars":{"badge":"2"}}
                {"token":"\(token)","vars":{"badge":3}}
                """, to: "lines")
            let payload = #"{"aps":{"alert":"Hello","badge":"{{badge}}","sound":"ping"}}"#
            let ended = try await ground.batch("lines", "--payload", payload)
            #expect(ended.status == 0)
            #expect(ended.errors.contains("pushsend: warning: payload.aps.sound: "))
            #expect(ended.errors.contains("lines:2: error: "))
            #expect(ended.errors.contains("sound-file    3 lines, the first lines:1 (warning)"))
            #expect(try ground.results("lines.pushsend").count { $0["reason"] == "invalid" } == 1)
            #expect(ground.mock.arrivalCount == 2)
            let other = try await ground.batch("lines", "--payload", payload, "--no-lint")
            #expect(other.status != 0)
            #expect(other.errors.contains("whether the lint rules are checked isn't the same"))
            let all = try await ground.batch("lines", "--payload", payload, "--no-lint", "--out", "out", "--json")
            #expect(all.json["invalid"] == 0)
            #expect(all.json["findings"] == nil)
            #expect(ground.mock.arrivalCount == 5)
        }
    }

    @Test func `a common payload that breaks a rule stops it before anything is read`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("{\"aps\":{\"alert\":\"a\",\n\"badge\":\"2\"}}", to: "payload.json")
            try ground.workspace.write("\(CampaignGround.token(1))\n", to: "tokens")
            let ended = try await ground.batch("tokens", "--payload", ground.workspace.path("payload.json"))
            #expect(ended.status == 65)
            #expect(ended.errors.contains("payload.json:2:9: error: "))
            #expect(!ground.workspace.exists("tokens.pushsend"))
            #expect(ground.mock.arrivalCount == 0)
        }
    }

    @Test func `several files are one campaign, and its time may be over before`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("token\n\(CampaignGround.token(1))\n", to: "a.csv")
            try ground.workspace.write(
                (2...400).map { "{\"token\":\"\(CampaignGround.token($0))\"}\n" }.joined(), to: "b.jsonl")
            let command = ["a.csv", "b.jsonl", "-m", "Hello", "--out", "out"]
            let ended = try await ground.start(command + ["--rate", "100/s", "--stop-at", "1s"]).end()
            #expect(ended.status == 75, "\(ended.errors)")
            #expect(ended.errors.contains("The time limit was reached."))
            let last = try await ground.start(command).end()
            #expect(last.status == 0, "\(last.errors)")
            let results = try ground.results("out")
            #expect(results.count == 400)
            #expect(results.count { $0["file"] == "a.csv" && $0["line"] == 2 } == 1)
            #expect(ground.mock.arrivalCount == 400)
            let summary = JSON(parsing: try ground.workspace.read("out/summary.json"))
            #expect(summary["totals"]?["accepted"] == 400)
            #expect(summary["finished"] == true)
        }
    }
}
