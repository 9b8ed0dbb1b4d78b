import ArgumentParser
import PushProvider
import Testing

@testable import PushJSON
@testable import pushsend

@Suite struct PlainOptionsTests {
    /// The options of `send` as argument-parser knows them, each name in a line of its own.
    static let lines = options.flatMap { option in
        option.names.map { [$0] + (option.takesValue ? [values[$0, default: "7"]] : []) + companions[$0, default: []] }
    }

    private static let options: [(names: [String], takesValue: Bool)] = {
        let help = PushJSONValue(json: Array(Pushsend._dumpHelp().utf8))
        let send = help?["command"]?["subcommands"]?.elements.first { $0["commandName"] == "send" }
        return (send?["arguments"]?.elements ?? []).compactMap { argument in
            guard argument["shouldDisplay"] == true, argument["kind"] != "positional" else { return nil }
            let names = (argument["names"]?.elements ?? []).compactMap { name -> String? in
                guard case .string(let text)? = name["name"] else { return nil }
                return (name["kind"] == "short" ? "-" : "--") + text
            }
            return names.contains("--help") || names.contains("--version") ? nil : (names, argument["kind"] == "option")
        }
    }()

    private static let values = [
        "-e": "production", "--environment": "sandbox", "--endpoint": "[::1]:2197", "--expires": "2h",
        "--timeout": "500ms", "--every": "3s",
    ]

    private static let companions = [
        "--every": ["--repeat", "2"], "--force": ["--save", "payload.json"], "--yes": ["--try-other-environment"],
        "--identity": ["--p12", "push.p12"],
        "--cert-key": ["--cert", "push.pem"],
    ]

    @Test func `there are options to compare`() {
        #expect(Self.lines.count > 45)
        #expect(Self.lines.contains(["--message", "7"]) && Self.lines.contains(["-v"]))
    }

    @Test(arguments: lines)
    func `an option in plain words means what argument-parser makes of it`(line: [String]) throws {
        try expectTheSame(line + ["5f3a"])
        try expectTheSame(["5f3a"] + line)
    }

    @Test func `the page about send has each option`() throws {
        let page = try Page.text("docs/pushsend-send.md")
        let names = Set(page.matches(of: /--?[a-z][a-z0-9-]*/).map { String($0.output) })
        #expect(Set(Self.options.flatMap(\.names)).subtracting(names) == [])
    }

    @Test(arguments: [
        [], ["5f3a"], ["5f3a", "aabb", "--json", "ccdd"],
        ["-d", "a=1", "one", "--data", "b=2", "--data-json", "c=[]", "-d", "a=3", "two"],
        ["--title", "message", "-m", "two words", "--mock", "--state", "a folder"],
    ])
    func `several in a line mean what argument-parser makes of them`(line: [String]) throws {
        try expectTheSame(line)
    }

    private func expectTheSame(_ line: [String]) throws {
        let plain = try #require(Self.plain(line), "\(line): after a new flag, run scripts/lib/write-plain-options")
        #expect(String(describing: plain) == String(describing: try SendCommand.parse(line)))
    }

    @Test(arguments: [
        ["--mess", "Hello"], ["--message=Hello"], ["-mHello"], ["-m"], ["-m", "-t", "x"], ["-m", ""], [""],
        ["-m", "a", "-m", "b"], ["-m", "a", "--message", "b"], ["--json", "--json"], ["-vm", "x"], ["--payload", "-"],
        ["--"], ["-m", "a", "--", "5f3a"], ["--badge", "-1"], ["--badge", "many"], ["-e", "moon"], ["--timeout", "3"],
        ["--help"], ["-h"], ["--version"], ["--wrong", "x"], ["--no-json"], ["--generate-completion-script", "bash"],
        // argument-parser also reports what is refused.
        ["--timeout", "0s"], ["--dry-run", "--watch"], ["--every", "1s"], ["--password", "x"],
        ["--p12", "push.p12:secret"],
    ])
    func `what is not plain is left to argument-parser`(line: [String]) {
        #expect(Self.plain(line) == nil)
        #expect(Self.plain(["5f3a"] + line) == nil)
    }

    /// As a text, because a command is not comparable.
    private static func plain(_ line: [String]) -> String? {
        guard var words = try? PlainArguments(line), let command = try? SendCommand.checked(&words) else { return nil }
        return String(describing: command)
    }
}

extension PushJSONValue {
    fileprivate var elements: [PushJSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }
}
