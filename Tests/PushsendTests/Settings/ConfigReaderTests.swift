import PushYAML
import TestSupport
import Testing

@testable import pushsend

@Suite struct ConfigReaderTests {
    private func read(_ text: String) throws(ConfigMistake) -> ConfigFile {
        try ConfigReader(file: "config.yaml", folder: "/work/", home: "/home/me").read(Array(text.utf8))
    }

    @Test func `a file has settings, profiles and devices, with their lines`() throws {
        let file = try read(
            """
            profile: coffee
            topic: com.example.shared
            profiles:
              coffee:
                key: keys/AuthKey_ABC123DEFG.p8
                cacert: ~/ca.pem
                devices:
                  phone: <5F3AD1C0 7b9e4286>
              tea:
            """)
        #expect(file.chosen?.text == "coffee")
        #expect(file.common.settings[.topic]?.text == "com.example.shared")
        #expect(file.profiles.map(\.name.text) == ["coffee", "tea"])
        let coffee = try #require(file.profile(named: "coffee")).layer
        #expect(coffee.settings[.key]?.text == "/work/keys/AuthKey_ABC123DEFG.p8")
        #expect(coffee.settings[.key]?.position == .file("config.yaml", line: 5, column: 10))
        #expect(coffee.settings[.cacert]?.text == "/home/me/ca.pem")
        #expect(coffee.devices.map(\.nickname.text) == ["phone"])
        #expect(coffee.devices.map(\.token.text) == ["5F3AD1C07b9e4286"])
    }

    @Test(arguments: ["", "# nothing\n", "---\n", "null\n", "profiles:\n"])
    func `a file without settings is empty`(text: String) throws {
        #expect(try read(text) == ConfigFile())
    }

    @Test func `numbers stay as they are written`() throws {
        let file = try read("key_id: 0123456789\nteam_id: 1E23456789\ndevices: {phone: 0012e5}\n")
        #expect(file.common.settings[.keyID]?.text == "0123456789")
        #expect(file.common.settings[.teamID]?.text == "1E23456789")
        #expect(file.common.devices.map(\.token.text) == ["0012e5"])
    }

    /// A mistake, its line and column, and a part of the message.
    static let mistakes: [(text: String, line: Int, column: Int, message: String)] = [
        ("topc: x", 1, 1, "Did you mean \"topic\"?"),
        ("profiles:\n  a:\n    bundle-id: x", 3, 5, "Did you mean \"topic\"?"),
        ("keyId: x", 1, 1, "Did you mean \"key_id\"?"),
        ("wholly_other: x", 1, 1, "Known: topic,"),
        ("profiles:\n  a:\n    profile: b", 3, 5, "belongs at the beginning of a line"),
        ("passphrase: hunter2", 1, 1, "Secrets don't belong"),
        ("key_pem: hunter2", 1, 1, "Secrets don't belong"),
        ("topic: [a, b]", 1, 8, "takes one value"),
        ("topic:\n  a: b", 2, 3, "takes one value"),
        ("topic:", 1, 1, "has no value"),
        ("topic: ''", 1, 8, "is missing"), ("environment: ''", 1, 14, "is empty"),
        ("environment: moon", 1, 14, "use sandbox or production"),
        ("endpoint: 'a b'", 1, 11, "isn't HOST:PORT"),
        ("port: 80", 1, 7, "443 and 2197"),
        ("proxy: ftp://x", 1, 8, "proxy"),
        ("proxy: http://me:hunter2@x:1", 1, 8, "PUSHSEND_PROXY"),
        ("key_id: ABC", 1, 9, "3 characters"),
        ("devices: [a]", 1, 10, "key: value"),
        ("devices:\n  phone: 5f3g", 2, 10, "The device \"phone\""),
        ("devices:\n  cafe: 5f3a", 2, 3, "a letter from g to z"),
        ("devices:\n  my phone: 5f3a", 2, 3, "isn't a nickname"),
        ("devices:\n  phone: 5f3a\n  phone: 5f3b", 3, 3, "also in line 2"),
        ("topic: a\ntopic: b", 2, 1, "also in line 1"),
        ("profiles:\n  a:\n  a:", 3, 3, "also in line 2"),
        ("profiles:\n  a b:", 2, 3, "isn't a name for a profile"),
        ("profile: ../x", 1, 10, "isn't a name for a profile"),
        ("key: a.p8\np12: b.p12", 2, 6, "can't be combined"),
        ("environment: sandbox\nendpoint: localhost", 2, 11, "can't be combined"),
        ("p12: a\npassphrase_file: b\npassphrase_command: c", 3, 21, "can't be combined"),
        ("identity: me", 1, 11, "belongs to \"p12\""),
        ("- a", 1, 1, "key: value"),
        ("hello", 1, 1, "key: value"),
        ("\ttopic: a", 1, 1, "indent with spaces"),
        ("topic: a: b", 1, 9, "quotation marks"),
        ("topic: \"a", 2, 1, "isn't valid YAML"),
        ("a: 1\n---\nb: 2", 1, 1, "isn't valid YAML"),
        ("topic: *b", 1, 8, "undefined alias"),
        ("? [a]\n: b", 1, 3, "A key must be a word"),
        ("p12: a\nidentity: \"\\0\"", 2, 11, "control character"),
    ]

    @Test(arguments: mistakes.indices)
    func `a mistake has its line, its column and a way out`(index: Int) throws {
        let mistake = Self.mistakes[index]
        do {
            _ = try read(mistake.text + "\n")
            Issue.record("\(mistake.text) was read")
        } catch {
            #expect(error.message.contains(mistake.message), "\(mistake.text): \(error.message)")
            #expect(!error.message.contains("hunter2"))
            if !mistake.text.contains("---") {
                #expect(
                    error.location.order == (mistake.line, mistake.column), "\(mistake.text)")
            }
        }
    }

    /// What is between mistakes and hostility: pieces of YAML in any order.
    @Test(arguments: 1...8) func `no text ends the process`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "topic", "profiles", "devices", "a", ":", ": ", "\n", "\n  ", "\n    ", "- ", "? ", "[", "]", "{", "}", ",",
            "&a ", "*a", "!!str ", "!<tag:x> ", "|\n", ">-\n", "'", "\"", "\\u0000", "\\ud800", "\\x", "#",
            "%YAML 1.1\n",
            "---\n", "...\n", "\t", "~", "<<", "=", "@", "`", "\u{FEFF}", "\u{85}", "\u{2028}", "é", "\u{0}", "\r",
            "0x1f",
        ]
        for _ in 0..<2500 {
            let count = Int.random(in: 0...30, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            _ = try? read(text)
            var changed = ConfigText(text)
            try? changed.put(NewProfile(name: "new", settings: [.topic: "x"]))
            try? changed.choose("new")
            try? changed.remove("a")
        }
    }

    @Test func `a hostile file is refused at once`() throws {
        var bomb = "a: &a [x, x]\n"
        for (name, previous) in zip("bcdefghijklmnopqrstuvw", "abcdefghijklmnopqrstuv") {
            bomb += "\(name): &\(name) [*\(previous), *\(previous)]\n"
        }
        bomb += "? *w\n: x\n"
        for text in [bomb, String(repeating: "[", count: 100_000), String(repeating: "{a: ", count: 5000)] {
            #expect(throws: ConfigMistake.self) { try read(text) }
        }
        #expect(throws: ConfigMistake.self) {
            try read("topic: " + String(repeating: "a", count: ConfigReader.maximumBytes))
        }
        #expect(throws: ConfigMistake.self) {
            try ConfigReader(file: "f", folder: "/", home: nil).read([0x61, 0xFF, 0xFE])
        }
        #expect(throws: ConfigMistake.self) { try read("topic: \u{0}\u{1B}[2J") }
    }
}
