import PushProvider

extension SendCommand {
    /// Whether somebody may be asked for what is missing.
    var mayAsk: Bool { !how.json && Prompt.isPossible }

    /// On a terminal, asks for what to sign with.
    mutating func askForSigner() throws {
        guard mayAsk, signerOptions.isMissing, try identityOptions.source(beside: signerOptions) == nil else { return }
        do {
            try askForKey()
        } catch is Prompt.Unanswered {
            // What is missing now is told as in a pipe.
            answers.areEnough = true
        }
    }

    /// On a terminal, asks for what the push cannot do without, and says how all of it is given next time.
    mutating func askForMessage(_ certificate: PushCertificate?, _ reader: IdentityReader?) throws {
        guard mayAsk, !answers.areEnough else { return }
        // Who is asked for something is asked for the environment too; who has given all the rest is only told of it.
        let isAsked = answers.areAny || lacksTopic(certificate) || lacksToken || payloadOptions.isEmpty
        if let name = reader?.chosenName { answers.add("--identity", name) }
        do {
            if lacksTopic(certificate) { try askForTopic(certificate) }
            if isAsked, targetOptions.isUndecided(signer: signerOptions, certificate) { try askForEnvironment() }
            if lacksToken { try askForToken() }
            if payloadOptions.isEmpty { try askForText() }
        } catch is Prompt.Unanswered {
            return
        }
        answers.tellCommand()
    }

    // MARK: With what to sign

    private mutating func askForKey() throws {
        if !signerOptions.hasOwnKey {
            let found = NearbyKeys.here
            let file = try Prompt.ask(
                "Key file",
                // The X stand for the key id: that is the pattern of Apple's file names.
                hint: """
                    The key, AuthKey_XXXXXXXXXX.p8: developer.apple.com, Certificates, Identifiers & Profiles, Keys. \
                    It can be downloaded once. Or a certificate with its key, .p12 or .pem.\(found.offer)
                    """,
                check: { try KeyQuestion.file(found.chosen(by: $0)) }
            )
            if take(certificate: file) { return }
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

    /// - Returns: Whether the file was one of a certificate.
    private mutating func take(certificate file: String) -> Bool {
        switch KeyQuestion.kind(file) {
        case .key: return false
        case .p12:
            identityOptions.p12 = file
            answers.add("--p12", file)
        case .pem:
            identityOptions.certificate = file
            answers.add("--cert", file)
        }
        return true
    }

    // MARK: What to send, and where to

    private func lacksTopic(_ certificate: PushCertificate?) -> Bool {
        guard headers.topic == nil, Fallback.value("TOPIC") == nil, headers.topic(of: certificate) == nil else {
            return false
        }
        // What cannot be read is told later; standard input is not read twice.
        guard payloadOptions.payload != nil, payloadOptions.payload != "-" else { return payloadOptions.payload == nil }
        return (try? payloadOptions.spoken())?.bundleID == nil
    }

    private mutating func askForTopic(_ certificate: PushCertificate?) throws {
        let topic = try Prompt.ask(
            "Topic", hint: MessageQuestion.topicHint(certificate),
            check: { try MessageQuestion.topic($0, certificate, teamID: signerOptions.ownTeamID) }
        )
        headers.topic = topic
        answers.add("--topic", topic)
    }

    private var lacksToken: Bool { tokens.isEmpty && Fallback.tokens.isEmpty }

    private mutating func askForEnvironment() throws {
        let environment = try Prompt.ask(
            "Environment", hint: MessageQuestion.environmentHint, check: MessageQuestion.environment)
        targetOptions.environment = environment
        answers.add("-e", environment.rawValue)
    }

    private mutating func askForToken() throws {
        let token = try Prompt.ask(
            "Device token",
            hint: "The device token, hex: the app prints it; paste the whole console line if you like.",
            check: MessageQuestion.token
        )
        tokens = [token]
        answers.add(token)
    }

    private mutating func askForText() throws {
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
struct Answers: Sendable {
    /// Somebody wants to answer no more.
    var areEnough = false
    private var words: [String] = []
    /// Something was asked for and answered.
    var areAny: Bool { !words.isEmpty }

    mutating func add(_ more: String...) { add(more) }

    mutating func add(_ more: [String]) { words += more }

    /// Says the command line that asks nothing. The answers stand in front: what was typed may end in `--`.
    func tellCommand() {
        guard !words.isEmpty else { return }
        let typed = CommandLine.arguments
        let command = Array(typed.prefix(2)) + words + Array(typed.dropFirst(2))
        Output.note("")
        Output.note("Next time, in one line:")
        Output.note("  " + command.map(ShellWord.quoted).joined(separator: " "))
        Output.note("")
    }
}
