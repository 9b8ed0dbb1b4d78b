import Testing

@testable import pushsend

@Suite struct ConfigTextTests {
    private static let written = """
        # My apps.
        profile: coffee # the usual one

        profiles:
            # Coffee.
            coffee:
                topic: com.example.coffee   # as in Xcode

            # Tea.
            tea:
                topic: com.example.tea

        # The end.
        environment: sandbox

        """

    private static let milk = NewProfile(
        name: "milk",
        settings: [.topic: "com.example.milk", .endpoint: "localhost:1", .passphraseCommand: "echo it's me"],
        devices: [("phone", "00ff")])

    @Test func `a profile is added at the end of the profiles, and everything else stays`() throws {
        var text = ConfigText(Self.written)
        try text.put(Self.milk)
        #expect(
            text.text
                == Self.written.replacing(
                    "com.example.tea\n",
                    with: """
                        com.example.tea
                            milk:
                              topic: com.example.milk
                              endpoint: 'localhost:1'
                              passphrase_command: 'echo it''s me'
                              devices:
                                phone: '00ff'

                        """))
        let file = try ConfigReader(file: "f", folder: "/", home: nil).read(Array(text.text.utf8))
        #expect(file.profile(named: "milk").map { NewProfile($0) } == Self.milk)
    }

    @Test func `a profile is replaced and removed with its lines only`() throws {
        var text = ConfigText(Self.written)
        try text.put(NewProfile(name: "coffee", settings: [.topic: "new"]))
        #expect(
            text.text
                == Self.written.replacing(
                    "        topic: com.example.coffee   # as in Xcode", with: "      topic: new"))
        var removed = ConfigText(Self.written)
        try removed.remove("tea")
        #expect(
            removed.text == Self.written.replacing("    tea:\n        topic: com.example.tea\n", with: ""))
    }

    @Test func `the default profile is changed on its line`() throws {
        var text = ConfigText(Self.written)
        try text.choose("tea")
        #expect(text.text == Self.written.replacing("profile: coffee #", with: "profile: tea #"))
        try text.choose(nil)
        #expect(text.text == Self.written.replacing("profile: coffee # the usual one\n", with: ""))
        try text.choose("tea")
        #expect(text.text.contains("profile: tea\nprofiles:\n"))
    }

    @Test(arguments: ["", "# A comment.\n", "topic: x\n", "topic: x\nprofiles:\n", "profiles: # none yet\ntopic: x"])
    func `the first profile is added to any file`(before: String) throws {
        var text = ConfigText(before)
        try text.put(Self.milk)
        try text.choose("milk")
        let file = try ConfigReader(file: "f", folder: "/", home: nil).read(Array(text.text.utf8))
        #expect(file.profiles.map { NewProfile($0) } == [Self.milk])
        #expect(file.chosen?.text == "milk")
        #expect(before.contains("x") == (file.common.settings[.topic] != nil))
        try text.remove("milk")
        try text.choose(nil)
        #expect(try ConfigReader(file: "f", folder: "/", home: nil).read(Array(text.text.utf8)).profiles.isEmpty)
    }

    @Test func `a file with line ends of Windows can be changed`() throws {
        var text = ConfigText("topic: x\r\nprofiles:\r\n  a:\r\n    topic: y\r\n")
        try text.put(Self.milk)
        try text.remove("a")
        let file = try ConfigReader(file: "f", folder: "/", home: nil).read(Array(text.text.utf8))
        #expect(file.profiles.map { NewProfile($0) } == [Self.milk])
    }

    @Test(arguments: ["{profiles: {a: {}}}", "profiles: {a: {topic: x}}", "profiles: {}", "- a", "profiles: [a]"])
    func `a file that is not written in lines stays as it is`(before: String) {
        var text = ConfigText(before)
        #expect(throws: ConfigText.Unchangeable.self) { try text.put(Self.milk) }
        #expect(text.text == before + "\n")
    }

    @Test(arguments: ["yes", "1e3", "-x", "a: b", "a #b", "it's", "", "~", "@x", "*x", "&x", "%x", "é", "a\tb", "null"])
    func `a value is read as it was written`(value: String) throws {
        let text = "p12: a\nidentity: \(NewProfile.scalar(value))\n"
        let file = try? ConfigReader(file: "f", folder: "/", home: nil).read(Array(text.utf8))
        if value.isEmpty || value.contains("\t") {
            #expect(file == nil)
        } else {
            #expect(file?.common.settings[.identity]?.text == value)
        }
    }
}
