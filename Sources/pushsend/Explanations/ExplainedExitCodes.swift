extension Explanation {
    /// The exit codes of the commands.
    static let exitCodes: [Explanation] = [
        make(
            .accepted, "accepted, or done", fault: nil, again: "No need.",
            "Apple took every push. Of another command: it did what it was asked for.",
            ["Nothing on the phone? \"pushsend explain nothing-arrived\"."]
        ),
        make(
            .rejected, "rejected by APNs", fault: "As the reason says; most often the token or the request.",
            again: "As the reason says; with --json, \"final\" is false when the same can succeed later.",
            "Apple answered at least one push with another status than 200. Status 403 is 77.",
            ["\"pushsend explain REASON\", with the word that was printed."]
        ),
        make(
            .usage, "wrong use", fault: "The command line's.", again: "After it was corrected. Nothing was sent.",
            "A flag is missing, not known, or does not go with another one. The sentence on standard error says which.",
            ["\"pushsend COMMAND --help\" has every flag and an example."]
        ),
        make(
            .invalidInput, "invalid input", fault: "The input's.", again: "After it was corrected. Nothing was sent.",
            """
            A device token, the payload or a header value breaks a rule that Apple would not forgive, or there was \
            nothing on standard input. Of \"pushsend lint\": it has found errors.
            """,
            ["The sentence on standard error says what and where.", "--dry-run checks everything and sends nothing."]
        ),
        make(
            .noSuchFile, "no such file", fault: "The command line's.",
            again: "After it was corrected. Nothing was sent.",
            "A key, certificate, CA or payload file is not there, or may not be read.",
            ["Relative names count from the current folder."]
        ),
        make(
            .cannotConnect, "no connection", fault: "The network, the host name, or a server that is not running.",
            again: "Yes: it was not sent, and cannot double.",
            """
            The name was not found, a proxy opened no tunnel, or TCP, TLS or HTTP/2 did not come about. With --mock: no mock is running. Of \
            \"pushsend mock\": it cannot listen, its port is taken.
            """,
            [
                "-v shows how far it came.",
                "Apple wants TCP port 443, or 2197 where 443 is closed: --port 2197.",
                "Only a proxy leads out? --proxy http://user:password@host:port, or HTTPS_PROXY. See docs/networks.md.",
                "A server with a CA of its own needs --cacert FILE.",
            ]
        ),
        make(
            .ourFault, "a fault of ours, or too few open files", fault: "Ours, where no limit is named.",
            again: "After the limit was raised; otherwise it may help.",
            """
            The system lets the process have too few files open, which the sentence on standard error says. Anything \
            else should be impossible.
            """,
            ["\"ulimit -n 1024\" raises the limit.", "Anything else: please report it, with that sentence."]
        ),
        make(
            .cannotCreate, "a file or folder cannot be made", fault: "Permissions, or a full disk.",
            again: "After it was corrected.",
            "A file or a folder is needed, such as the mock's state folder, and it cannot be made or written.",
            ["Give another place, for the mock with --state DIR."]
        ),
        make(
            .cannotWrite, "standard output cannot be written", fault: "Mostly a full disk.",
            again: "Look first: pushes may have gone out.",
            """
            What the command had to say could not be written. A reader that goes away, as in \"| head\", is no such \
            case: then the command ends quietly.
            """,
            []
        ),
        make(
            .notSent, "not sent", fault: "The network or the server; of the mock, another process in its folder.",
            again: "Yes: Apple provably did not process it, and it cannot double.",
            """
            The deadline passed before it was written, the connection ended before that, or the server said that it \
            did not process it. \"pushsend mock\" ends so when another process holds its state folder.
            """,
            ["Send it again, waiting longer each time.", "It may be one of several: act on the lines of --json."]
        ),
        make(
            .unknown, "unknown: perhaps sent", fault: "The network or the server.",
            again: "Only if a second one does no harm, as with a collapse id.",
            """
            The push was written and no answer came: the deadline passed, or the connection ended. Apple may have \
            taken it.
            """,
            ["With a --collapse-id a second one replaces the first on the phone."]
        ),
        make(
            .credentials, "credentials refused or unreadable", fault: "The sender's credentials.",
            again: "After they were corrected. Until then every push fails.",
            """
            APNs answered 403 for a reason that concerns the credentials, or the key or certificate cannot be used: \
            it cannot be read, the passphrase is wrong, the private key is missing, it has expired.
            """,
            ["\"pushsend inspect FILE\" says what is in it.", "\"pushsend explain certificate\", or provider-token."],
            page: "docs/credentials.md"
        ),
        make(
            code: 78, "a profile cannot be used", fault: "The profile's.", again: "After it was corrected.",
            "Kept for profiles. This version has none and never ends with it.", [], page: "docs/json-and-exit-codes.md"
        ),
        make(
            .interrupted, "interrupted", fault: "Whoever pressed Ctrl-C.", again: "Look at each line first.",
            """
            The command was stopped. What was still in the queue is told as not sent, what was written already as \
            unknown.
            """,
            []
        ),
    ]

    private static func make(
        _ status: ExitStatus, _ short: String, fault: String?, again: String, _ meaning: String, _ steps: [String],
        page: String = "docs/json-and-exit-codes.md"
    ) -> Explanation {
        make(code: status.code, short, fault: fault, again: again, meaning, steps, page: page)
    }

    private static func make(
        code: Int32, _ short: String, fault: String?, again: String, _ meaning: String, _ steps: [String], page: String
    ) -> Explanation {
        Explanation(
            word: String(code),
            kind: .exitCode,
            title: "Exit code \(code): \(short)",
            meaning: meaning,
            fault: fault,
            again: again,
            steps: steps,
            page: page
        )
    }
}
