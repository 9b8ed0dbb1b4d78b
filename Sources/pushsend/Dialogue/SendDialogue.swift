import PushProvider

extension SendCommand {
    /// On a terminal, asks for what the push cannot do without, and says how it is given next time.
    mutating func askForWhatIsMissing() throws {
        guard Prompt.isPossible, !how.json else { return }
        var answers = Answers()
        do {
            if signerOptions.isMissing { try askForKey(&answers) }
            if lacksTopic { try askForTopic(&answers) }
            if tokens.isEmpty, Fallback.tokens.isEmpty { try askForToken(&answers) }
            if payloadOptions.isEmpty { try askForText(&answers) }
        } catch is Prompt.Unanswered {
            // What is missing now is told as in a pipe.
            return
        }
        answers.tellCommand()
    }

    // MARK: With what to sign

    private mutating func askForKey(_ answers: inout Answers) throws {
        if signerOptions.ownKeyFile == nil {
            let file = try Prompt.ask(
                "Key file",
                hint: """
                    The key, AuthKey_XXXXXXXXXX.p8: developer.apple.com, Certificates, Identifiers & Profiles, Keys. \
                    It can be downloaded once.
                    """,
                check: KeyQuestion.file
            )
            signerOptions.keyFile = file
            answers.add("--key", file)
        }
        if signerOptions.ownKeyID == nil {
            let id = try Prompt.ask(
                "Key id",
                hint:
                    "The key id, ten characters: beside the key at developer.apple.com, and in its file's first name.",
                check: { try KeyQuestion.id($0, "key id") }
            )
            signerOptions.keyID = id
            answers.add("--key-id", id)
        }
        if signerOptions.ownTeamID == nil {
            let keyID = signerOptions.ownKeyID
            let id = try Prompt.ask(
                "Team id",
                hint: "The team id, ten characters: developer.apple.com, Membership details.",
                check: { try KeyQuestion.teamID($0, keyID: keyID) }
            )
            signerOptions.teamID = id
            answers.add("--team-id", id)
        }
    }

    // MARK: What to send, and where to

    private var lacksTopic: Bool {
        guard headers.topic == nil, Fallback.value("TOPIC") == nil else { return false }
        // What cannot be read is told later; standard input is not read twice.
        guard payloadOptions.payload != nil, payloadOptions.payload != "-" else { return payloadOptions.payload == nil }
        return (try? payloadOptions.spoken())?.bundleID == nil
    }

    private mutating func askForTopic(_ answers: inout Answers) throws {
        let topic = try Prompt.ask(
            "Topic", hint: "The topic, which is the app's bundle id: Xcode, the target, General, Identity.",
            check: MessageQuestion.topic
        )
        headers.topic = topic
        answers.add("--topic", topic)
    }

    private mutating func askForToken(_ answers: inout Answers) throws {
        let token = try Prompt.ask(
            "Device token",
            hint: "The device token, hex: the app prints it; paste the whole console line if you like.",
            check: MessageQuestion.token
        )
        tokens = [token]
        answers.add(token)
    }

    private mutating func askForText(_ answers: inout Answers) throws {
        let text = try Prompt.ask(
            "Text", hint: "What the notification says. -t gives it a title; --payload FILE takes the whole payload.",
            check: MessageQuestion.text
        )
        payloadOptions.message = text
        // A text that begins with a hyphen must not be taken for a flag.
        answers.add(text.hasPrefix("-") ? ["--message=\(text)"] : ["-m", text])
    }
}

/// What was answered, as flags.
private struct Answers {
    private var words: [String] = []

    mutating func add(_ more: String...) { add(more) }

    mutating func add(_ more: [String]) { words += more }

    /// Says the command line that asks nothing. The answers stand in front: what was typed may end in `--`.
    func tellCommand() {
        guard !words.isEmpty else { return }
        let typed = CommandLine.arguments
        let command = Array(typed.prefix(2)) + words + Array(typed.dropFirst(2))
        Output.note("")
        Output.note("Next time, without questions:")
        Output.note("  " + command.map(ShellWord.quoted).joined(separator: " "))
        Output.note("")
    }
}
