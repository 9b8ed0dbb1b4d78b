import Testing

@testable import pushserve

@Suite(.timeLimit(.minutes(10))) struct CommandWordTests {
    @Test(arguments: [
        ("/var/lib/queue.sqlite", "/var/lib/queue.sqlite"), ("/my queue", "'/my queue'"), ("", "''"),
        ("it's", #"'it'\''s'"#), ("postgres://u@h/d?schema=s", "'postgres://u@h/d?schema=s'"), ("$HOME", "'$HOME'"),
    ])
    func `a word of a command is quoted if it needs it`(text: String, word: String) {
        #expect(text.commandWord == word)
    }
}
