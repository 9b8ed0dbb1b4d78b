import Foundation
import MockAPNs
import PushProvider
import TestSupport
import Testing

/// What a person types by mistake: it is reported with the remedy, and nothing is lost.
@Suite(.takingTurns) struct MistypedBatchTests {
    private static let token = CampaignGround.token(1)

    @Test(arguments: ["", "80", "0%/100", "101%/100", "80%/0", "80%/", "80%/1.5", "nan%/5", "never"])
    func `a share of misfits that is none`(text: String) async throws {
        let ended = try await Workspace().pushsend("batch", "-", "--mismatch", text)
        #expect(ended.status == 64)
        #expect(ended.errors.contains("80%/100"), "\(ended.errors)")
    }

    @Test func `the report overwrites only an earlier report page`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("\(Self.token)\n", to: "tokens")
            for name in ["tokens", "key.p8"] {
                if name != "tokens" { try ground.workspace.write("secret", to: name) }
                let before = try ground.workspace.read(name)
                expectRefusal(
                    try await ground.batch("tokens", "-m", "Hello", "--report", name), 73, name, "isn't a report page",
                    "--report")
                #expect(try ground.workspace.read(name) == before)
            }
            #expect(ground.mock.arrivalCount == 0)
            #expect(try await ground.batch("tokens", "-m", "Hello", "--report", "page.html").status == 0)
            let first = try ground.workspace.read("page.html")
            #expect(first.contains("1 line in"))
            // Of a campaign that is finished, too, and in the place of an earlier page.
            #expect(try await ground.batch("tokens", "-m", "Hello", "--report", "page.html").status == 0)
            #expect(try ground.workspace.read("page.html").contains("had their outcomes before"))
            expectRefusal(
                try await ground.batch("tokens", "-m", "Hello", "--report", "no/page.html"), 73, "no/page.html",
                "No such file")
            // The link says where the page would go, and came perhaps with a repository.
            try await ground.workspace.prepare("ln -s elsewhere linked.html")
            expectRefusal(
                try await ground.batch("tokens", "-m", "Hello", "--report", "linked.html"), 73, "linked.html",
                "a link to a missing file")
            #expect(!ground.workspace.exists("elsewhere"))
            try await ground.workspace.prepare("mv page.html elsewhere")
            #expect(try await ground.batch("tokens", "-m", "Hello", "--report", "linked.html").status == 0)
        }
    }

    @Test func `where no line can be sent, the first says why, and it is no success`() async throws {
        try await CampaignGround.with { ground in
            let line = #"{"token":"\#(Self.token)"}"#
            try ground.workspace.write("\(line)\n\(line)\n", to: "lines")
            let ended = try await ground.batch("lines", "-m", "Hello {{name}}")
            #expect(ended.status == 65, "\(ended.errors)")
            #expect(ended.errors.contains("None of the lines can be sent. The first: lines:1: "), "\(ended.errors)")
            #expect(ended.errors.contains("\"name\""))
            #expect(try await ground.batch("lines", "-m", "Hello {{name}}").status == 65)
            try ground.workspace.write("\(Self.token)\nxyz\n", to: "some")
            let some = try await ground.batch("some", "-m", "Hello")
            #expect(some.status == 0)
            #expect(some.errors.contains("1 line can't be sent. The first: some:2: "), "\(some.errors)")
        }
    }

    @Test func `a dry run names one mistake three times, and counts devices that are listed twice`() async throws {
        try await CampaignGround.with { ground in
            let bad = (10...39).map { "zz\($0)\n" }.joined()
            try ground.workspace.write("\(bad)\(Self.token)\n\(Self.token)\n", to: "tokens")
            let ended = try await ground.batch("tokens", "-m", "Hello", "--format", "tokens", "--dry-run")
            #expect(ended.status == 65)
            #expect(ended.errors.split(separator: "\n").count == 3, "\(ended.errors)")
            #expect(ended.errors.contains("(27 more lines have this problem.)"), "\(ended.errors)")
            #expect(ended.output.contains("1 line has the device token of an earlier line"), "\(ended.output)")
            #expect(ground.mock.arrivalCount == 0)
        }
    }

    @Test func `the folder of another campaign is refused with both values`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("\(Self.token)\n\(CampaignGround.token(2))\n", to: "tokens")
            #expect(try await ground.batch("tokens", "-m", "Hello", "--sample", "1").status == 0)
            expectRefusal(try await ground.batch("tokens", "-m", "Hello"), 65, "the sample", "it was 1, now it is all")
        }
    }

    @Test func `an expiration in the past is refused with the time that it is`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("\(Self.token)\n", to: "tokens")
            let past = ["-m", "Hello", "--expires", "2020-01-01T00:00:00Z"]
            for arguments in [["batch", "tokens"] + past, ["send", Self.token] + past] {
                let ended = try await ground.workspace.startPushsend(arguments + ground.usual).end()
                expectRefusal(ended, 65, "2020-01-01T00:00:00Z", "which has passed", "clock")
            }
            #expect(ground.mock.arrivalCount == 0)
        }
    }

    @Test func `without a connection it says so before the first line has waited for its deadline`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("\(Self.token)\n", to: "tokens")
            try await StrangeServer.with { server in
                let port = try await server.closedPort()
                let program = try ground.start(
                    ["tokens", "-m", "Hello"], instead: ["--endpoint", "127.0.0.1:\(port)"])
                var number = 0
                while let line = await program.errors.line(number), !line.contains("The campaign keeps trying.") {
                    number += 1
                }
                program.interrupt()
                // Without a second signal it would wait for the deadline.
                _ = await program.errors.line(with: "Press Ctrl-C again")
                program.interrupt()
                let ended = await program.end()
                #expect(ended.status == 130)
                #expect(ended.errors.contains("127.0.0.1:\(port) refused the connection"), "\(ended.errors)")
            }
        }
    }

    @Test func `without a payload no line is read`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("\(Self.token)\n", to: "tokens")
            try ground.workspace.write("token,name\n\(Self.token),Ann\n", to: "people.csv")
            expectRefusal(try await ground.batch("tokens"), 64, "tokens: ", "--payload")
            expectRefusal(try await ground.batch("tokens", "--dry-run"), 64, "tokens: ", "--payload")
            expectRefusal(try await ground.batch("people.csv"), 64, "no column \"payload\"", "--payload")
            let payload = #""{""aps"":{""alert"":""Hello""}}""#
            try ground.workspace.write("token,payload\n\(Self.token),\(payload)\n", to: "own.csv")
            #expect(try await ground.batch("own.csv").status == 0)
            #expect(ground.mock.arrivalCount == 1)
            #expect(try await ground.batch("people.csv", "-m", "Hello").status == 0)
        }
    }

    @Test func `a placeholder without a column is reported once, before anything is sent`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write(
                "token,name\n\(Self.token),Ann\n\(CampaignGround.token(2)),Bo\n", to: "people.csv")
            let ended = try await ground.batch("people.csv", "-m", "Hello {{surname}}")
            expectRefusal(ended, 65, "{{surname}}", "are: name", "{{surname|text}}")
            try ground.workspace.write("\(Self.token)\n", to: "tokens")
            expectRefusal(
                try await ground.batch("tokens", "-m", "Hello {{name}}"), 65, "{{name}}", "CSV", "{{name|text}}")
            #expect(ground.mock.arrivalCount == 0)
            #expect(try await ground.batch("people.csv", "-m", "Hello {{name}} {{surname|Doe}}").status == 0)
            #expect(ground.mock.arrivalCount == 2)
        }
    }

    @Test func `a later file that cannot be read stops the campaign before its first line`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("token,name\n\(Self.token),Ann\n", to: "first.csv")
            try ground.workspace.write("token\n\(CampaignGround.token(2))\n", to: "second.csv")
            let ended = try await ground.batch("first.csv", "second.csv", "-m", "Hello {{name}}")
            expectRefusal(ended, 65, "second.csv: ", "{{name}}")
            #expect(ground.mock.arrivalCount == 0)
            try ground.workspace.write("token,name\n\(CampaignGround.token(2)),Bo\n", to: "second.csv")
            #expect(try await ground.batch("first.csv", "second.csv", "-m", "Hello {{name}}").status == 0)
            #expect(ground.mock.arrivalCount == 2)
        }
    }

    @Test func `what kept a campaign from beginning is corrected, and it begins`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("", to: "people.csv")
            #expect(try await ground.batch("people.csv", "-m", "Hello").status == 65)
            let empty = try await ground.batch("people.csv", "-m", "Hello")
            #expect(empty.status == 65)
            #expect(empty.errors.contains("There are no lines in "))
            try ground.workspace.write("device,name\n\(Self.token),Ann\n", to: "people.csv")
            expectRefusal(try await ground.batch("people.csv", "-m", "Hello"), 65, "people.csv", "\"token\"", "device")
            try ground.workspace.write("token,name\n\(Self.token),Ann\n", to: "people.csv")
            let ended = try await ground.batch("people.csv", "-m", "Good bye")
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(ground.mock.arrivalCount == 1)
            // From here on it is a campaign.
            expectRefusal(try await ground.batch("people.csv", "-m", "Hello"), 65, "the payload", "--restart")
        }
    }

    @Test func `device tokens without a header are no column names, and are not shown`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("\(Self.token)\n", to: "tokens")
            let refused = try await ground.batch("tokens", "-m", "Hello", "--format", "csv")
            #expect(refused.status == 65)
            #expect(refused.errors.contains("has no header"), "\(refused.errors)")
            #expect(!refused.errors.contains(Self.token))
        }
    }

    @Test func `a file that is given twice`() async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("\(Self.token)\n", to: "tokens")
            try await ground.workspace.prepare("ln -s tokens other")
            expectRefusal(try await ground.batch("tokens", "tokens", "-m", "Hello"), 64, "tokens is given twice")
            expectRefusal(
                try await ground.batch("tokens", "other", "-m", "Hello"), 64, "other is given twice", "tokens")
            #expect(ground.mock.arrivalCount == 0)
        }
    }

    @Test func `names and numbers that are none`() async throws {
        let workspace = try Workspace()
        try workspace.write("\(Self.token)\n", to: "tokens")
        func refused(_ flags: String..., words: String...) async throws {
            let ended = try await workspace.pushsend(["batch"] + flags)
            #expect(ended.status == 64, "\(flags): \(ended.errors)")
            #expect(ended.errorLines.count == 1, "\(ended.errors)")
            for word in words { #expect(ended.errors.contains(word), "\(ended.errors)") }
        }
        try await refused("", words: "input is empty")
        try await refused("tokens", "--out", "", words: "--out needs the name of a folder")
        try await refused("tokens", "--report", "-", words: "--report needs the name of a file")
        try await refused("tokens", "--connections", "1001", words: "--connections", "1000")
        for flag in ["--rate", "--stop-at", "--sample", "--max-errors", "--timeout"] {
            for value in ["0", "-3", "tomorrow", "99999999999999999999"] {
                if flag == "--rate", value.hasPrefix("9") { continue }
                try await refused("tokens", flag, value, words: flag)
            }
        }
        #expect(!workspace.exists("tokens.pushsend"))
    }

    @Test(arguments: ["--json", "--dry-run"])
    func `a standard output that cannot be written is reported`(flag: String) async throws {
        try await CampaignGround.with { ground in
            try ground.workspace.write("\(Self.token)\n", to: "tokens")
            let command = ["batch", "tokens", "-m", "Hello", flag] + ground.usual
            let ended = try await ground.workspace.run(
                ["sh", "-c", #"exec "$0" "$@" > /dev/full"#, BuiltProgram.pushsend.path()] + command)
            #expect(ended.status == 74)
            #expect(ended.errors.contains("Standard output can't be written: No space left on device."))
        }
    }

    @Test func `lines that an earlier run has left are reported at the end`() async throws {
        let fault = MockFault(
            when: MockFault.Matcher(deviceToken: try DeviceToken(Self.token)),
            steps: [.answer(status: 410, reason: .unregistered, timestamp: Date(timeIntervalSince1970: 1_700_000_000))])
        try await CampaignGround.with([fault]) { ground in
            let lines = [Self.token, CampaignGround.token(2)].map { #"{"token":"\#($0)","registered_at":1600000000}"# }
            // Whoever wrote it was ended after the first line.
            let first = try await ground.batch("-", "-m", "Hello", "--out", "out", input: lines[0])
            #expect(first.errors.contains("Device tokens to delete: out/gone"))
            let second = try await ground.batch(
                "-", "-m", "Hello", "--out", "out", input: lines.joined(separator: "\n"))
            #expect(second.status == 0)
            #expect(second.errors.contains("Device tokens to delete: out/gone"), "\(second.errors)")
            #expect(second.errors.contains("All runs: 2 lines, 1 accepted, 1 rejected"), "\(second.errors)")
        }
    }
}
