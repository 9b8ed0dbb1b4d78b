import APNSVocabulary
import Testing

@Suite struct ShellWordTests {
    @Test(arguments: [
        ("/var/lib/queue.sqlite", "/var/lib/queue.sqlite"), ("/my queue", "'/my queue'"), ("", "''"),
        ("it's", #"'it'\''s'"#), ("postgres://u@h/d?schema=s", "'postgres://u@h/d?schema=s'"), ("$HOME", "'$HOME'"),
        ("~", "'~'"), ("é", "'é'"),
    ])
    func `a word of a command is quoted if it needs it`(text: String, word: String) {
        #expect(ShellWord.quoted(text) == word)
    }

    @Test(arguments: [
        ("a\u{1B}[2Jb", #"'a'"$(printf '\033')"'[2Jb'"#), ("a\tb", #"'a'"$(printf '\011')"'b'"#),
        ("\u{9B}", #""$(printf '\302\233')""#),
    ])
    func `what could control the terminal is produced by printf`(text: String, word: String) {
        #expect(ShellWord.quoted(text) == word)
    }
}
