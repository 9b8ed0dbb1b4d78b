import Foundation
import TestSupport
import Testing

/// What the Tab key does in shells as people have them: each completes a line, and runs what has become of it.
@Suite(.takingTurns) struct CompletionTests {
    struct Case: Sendable {
        /// What is typed before the Tab key.
        var typed: String
        /// The last word then.
        var word: String
        /// Whether the program finds the word. fish asks it only where somebody types.
        var isFromProgram = false
    }

    private static let cases = [
        Case(typed: "send --key keys/Auth", word: "keys/AuthKey_ABC123DEFG.p8"),
        Case(typed: "send --key=keys/Auth", word: "--key=keys/AuthKey_ABC123DEFG.p8"),
        Case(typed: "send -m Hello --p12 keys/my", word: "keys/my payload.json"),
        Case(typed: "send --payload keys/my", word: "keys/my payload.json"),
        Case(typed: "send --save keys/my", word: "keys/my payload.json"),
        Case(typed: "lint keys/my", word: "keys/my payload.json"),
        Case(typed: "batch --rate 5/s keys/my", word: "keys/my payload.json"),
        Case(typed: "inspect keys/my", word: "keys/my payload.json"),
        Case(typed: "mock run --fault keys/my", word: "keys/my payload.json"),
        Case(typed: "mock run --state ke", word: "keys/"),
        Case(typed: "batch --out ke", word: "keys/"),
        Case(typed: "mock ready --state ke", word: "keys/"),
        Case(typed: "send --push-type liv", word: "liveactivity"),
        Case(typed: "send --push-type=liv", word: "--push-type=liveactivity"),
        Case(typed: "send --template live-activity-e", word: "live-activity-end"),
        Case(typed: "send --expires onc", word: "once"),
        Case(typed: "doctor --key keys/Auth", word: "keys/AuthKey_ABC123DEFG.p8"),
        Case(typed: "doctor --all", word: "--all-addresses"),
        Case(typed: "explain BadDev", word: "BadDeviceToken"),
        Case(typed: "explain nothing-a", word: "nothing-arrived"),
        Case(typed: "moc", word: "mock"),
        Case(typed: "mock rea", word: "ready"),
        Case(typed: "send --profile cof", word: "coffee", isFromProgram: true),
        Case(typed: "profile show cof", word: "coffee", isFromProgram: true),
        Case(typed: "send pho", word: "phone", isFromProgram: true),
    ]

    /// A folder to complete in, with the script of a shell.
    private func workspace(_ shell: String, script: String) async throws -> Workspace {
        let workspace = try Workspace()
        try await workspace.prepare("mkdir keys && touch keys/AuthKey_ABC123DEFG.p8 'keys/my payload.json'")
        try await workspace.prepare("mkdir -p home/.config/pushsend")
        try workspace.write(
            "profile: coffee\nprofiles: {coffee: {devices: {phone: 5f3a}}}\n", to: "home/.config/pushsend/config.yaml")
        let ended = try await workspace.pushsend("--generate-completion-script", shell)
        #expect(ended.status == 0)
        try workspace.write(ended.output, to: script)
        return workspace
    }

    /// Types each case, and collects the words of which `pushsend` was run.
    private func words(_ shell: [String], _ preparation: String, in workspace: Workspace) async throws -> [[String]] {
        let prompt = "ready> "
        // The completion itself asks the program for the names of profiles and devices.
        let program = "if [ \"$1\" = ---completion ]; then '\(BuiltProgram.pushsend.path())' \"$@\"; return; fi"
        let start = "\(preparation); pushsend() { \(program); printf 'got <%s>\\n' \"$@\"; echo; }\n"
        let steps =
            [(prompt, start)] + Self.cases.map { (prompt, "pushsend \($0.typed)\t\n") } + [(prompt, "exit\n")]
        let ended = try await workspace.terminal(
            command: ["env", "PS1=\(prompt)"] + shell, steps.map { (wait: $0.0, type: $0.1) },
            environment: ["TERM": "dumb"])
        let runs = ended.output.components(separatedBy: "\n\n")
        return runs.map { $0.matches(of: /got <([^>\n]*)>/).map { String($0.1) } }.filter { !$0.isEmpty }
    }

    private func expect(_ runs: [[String]], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(runs.count == Self.cases.count, "\(runs)", sourceLocation: sourceLocation)
        for (run, expected) in zip(runs, Self.cases) {
            // zsh takes the slash behind a folder away when the line is run.
            let words = [expected.word, expected.word.hasSuffix("/") ? String(expected.word.dropLast()) : nil]
            #expect(words.contains(run.last), "\(expected.typed): \(run)", sourceLocation: sourceLocation)
        }
    }

    @Test func `bash completes files, folders and words`() async throws {
        let workspace = try await workspace("bash", script: "pushsend.bash")
        expect(try await words(["bash", "--norc", "--noprofile", "-i"], "source ./pushsend.bash", in: workspace))
    }

    @Test(.enabled(if: BuiltProgram.isInstalled("zsh")))
    func `zsh completes files, folders and words`() async throws {
        let workspace = try await workspace("zsh", script: "_pushsend")
        let preparation = "fpath=(\"$PWD\" $fpath); autoload -U compinit; compinit -u -D"
        expect(try await words(["zsh", "-f", "-i"], preparation, in: workspace))
    }

    @Test(.enabled(if: BuiltProgram.isInstalled("fish")), arguments: cases.filter { !$0.isFromProgram })
    func `fish completes files, folders and words`(expected: Case) async throws {
        let workspace = try await workspace("fish", script: "pushsend.fish")
        let script = "source pushsend.fish; complete -C 'pushsend \(expected.typed)'"
        let ended = try await workspace.run(["fish", "--no-config", "-c", script])
        let offered = ended.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
        #expect(offered.contains(Substring(expected.word)), "\(ended.output) \(ended.errors)")
    }

    @Test func `a value that is text completes to nothing`() async throws {
        let workspace = try await workspace("bash", script: "pushsend.bash")
        let script = """
            source ./pushsend.bash
            COMP_WORDS=(pushsend send -m ke) COMP_CWORD=3 COMP_LINE='pushsend send -m ke' COMP_POINT=19
            _pushsend pushsend ke -m
            echo "${#COMPREPLY[@]}"
            """
        #expect(try await workspace.run(["bash", "--norc", "-c", script]).output == "0\n")
    }
}
