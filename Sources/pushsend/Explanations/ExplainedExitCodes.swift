import PushCommandLine

extension Explanation {
    static let exitCodes: [Explanation] = [
        make(
            .success, "accepted, or done", fault: nil, again: "No need.",
            "Apple accepted every push. For other commands: success.",
            ["If nothing arrives on the phone: \"pushsend explain nothing-arrived\"."]
        ),
        make(
            .rejected, "rejected by APNs", fault: "See the reason; most often the token or the request.",
            again: "See the reason; with --json, \"final\" is false if the same push can succeed later.",
            """
            Apple answered at least one push with a status other than 200. For status 403 the exit code is \
            \(ExitStatus.credentials.code). "pushsend doctor": a warning.
            """,
            ["\"pushsend explain REASON\", with the printed reason."]
        ),
        make(
            .usage, "wrong usage", fault: "The command line.", again: "After a correction. Nothing was sent.",
            "A flag is missing, unknown, or can't be combined with another. The message on standard error tells you which.",
            ["\"pushsend COMMAND --help\" lists every flag, with examples."]
        ),
        make(
            .invalidInput, "invalid payload or input", fault: "The input.",
            again: "After a correction. Nothing was sent.",
            """
            A device token, the payload or a header value breaks a rule that Apple enforces, or standard input was empty. \
            \"pushsend lint\": it has found errors.
            """,
            [
                "The message on standard error tells you what is wrong and where.",
                "--dry-run checks everything and sends nothing.",
            ]
        ),
        make(
            .noSuchFile, "no such file", fault: "The command line.",
            again: "After a correction. Nothing was sent.",
            "A key, certificate, CA or payload file doesn't exist or can't be read.",
            ["Relative paths begin at the current folder."]
        ),
        make(
            .cannotConnect, "can't connect", fault: "The network, the host name, or a server that isn't running.",
            again: "Yes: it wasn't sent, and can't cause a duplicate.",
            """
            The name wasn't found, a proxy refused the tunnel, or TCP, TLS or HTTP/2 failed. With --mock: no mock is \
            running. \"pushsend mock\": it can't listen, because its port is in use.
            """,
            [
                "\"pushsend doctor\" shows which step failed, and what to do.",
                "Apple uses TCP port 443, or 2197 if a firewall closes 443: --port 2197.",
                "Behind a proxy: --proxy http://user:password@host:port, or HTTPS_PROXY.",
                "For a server with its own CA: --cacert FILE.",
            ], page: "docs/diagnose.md"
        ),
        make(
            .ourFault, "internal error, or too few open files", fault: "pushsend, if the message names no limit.",
            again: "After you raise the limit; otherwise perhaps.",
            """
            The system allows the process too few open files; then the message on standard error tells you. Anything \
            else is a bug.
            """,
            ["\"ulimit -n 1024\" raises the limit.", "Anything else: please report it, with the message."]
        ),
        make(
            .cannotCreate, "a file or folder can't be created", fault: "Permissions, or a full disk.",
            again: "After a correction.",
            "A file or folder, such as the mock's state folder, can't be created or written.",
            ["Give another folder, for the mock with --state DIR."]
        ),
        make(
            .cannotWrite, "standard output can't be written", fault: "Usually a full disk.",
            again: "Check first: pushes may have been sent.",
            """
            The output of the command couldn't be written. If a reader closes the pipe, as in \"| head\", the command \
            ends without this error.
            """,
            []
        ),
        make(
            .tryAgain, "not sent, safe to resend",
            fault: "The network or the server; for the mock, another process that uses its folder.",
            again: "Yes: Apple certainly didn't process it, so it can't cause a duplicate.",
            """
            The deadline passed before it was written, the connection ended before that, or the server reported \
            that it didn't process it. \"pushsend mock\": another process uses its state folder. \"pushsend doctor\": the \
            server gave no answer about the credentials.
            """,
            [
                "Resend it, and wait longer each time.",
                "With several devices, use the line of each device in the output of --json.",
            ]
        ),
        make(
            .unknown, "unknown: it may have been sent", fault: "The network or the server.",
            again: "Only if a duplicate does no harm, as with a collapse id.",
            """
            The push was written, but no answer arrived: the deadline passed, or the connection ended. Apple may have \
            accepted it.
            """,
            ["With --collapse-id, a second push replaces the first on the phone."]
        ),
        make(
            .credentials, "credentials refused or unreadable", fault: "The sender's credentials.",
            again: "After you correct the credentials. Until then every push fails.",
            """
            APNs answered 403 for a reason that concerns the credentials, or the key or certificate can't be used: \
            it can't be read, the passphrase is wrong, the private key is missing, it has expired.
            """,
            [
                "\"pushsend inspect FILE\" shows what is in a file.",
                "\"pushsend explain certificate\", or provider-token.",
            ],
            page: "docs/credentials.md"
        ),
        make(
            .badConfiguration, "mistake in a configuration file, or no such profile",
            fault: "A configuration file, or the name of a profile.",
            again: "After a correction. Nothing was sent.",
            """
            A configuration file has a mistake, the profile doesn't exist, or the file of the project isn't trusted and \
            names another server.
            """,
            [
                "The message tells you the line and column of the mistake.",
                "\"pushsend profile list\" shows the profiles, and \"pushsend profile show --origins\" where each value is from.",
                "A pushsend.yaml of your own project: \"pushsend profile trust\".",
            ], page: "docs/credentials.md#profiles"
        ),
        make(
            .interrupted, "interrupted", fault: "Ctrl-C.", again: "Check each line first.",
            """
            The command was stopped. Pushes in the queue are reported as not sent, pushes already written as unknown.
            """,
            []
        ),
    ]

    /// The exit codes with their short descriptions, for `pushsend --help`.
    static var exitCodeRows: [(name: String, description: String)] {
        exitCodes.map { ($0.term, String($0.title.trimmingPrefix(titlePrefix($0.term)))) }
    }

    private static func titlePrefix(_ code: String) -> String { "Exit code \(code): " }

    private static func make(
        _ status: ExitStatus, _ short: String, fault: String?, again: String, _ meaning: String, _ steps: [String],
        page: String = "docs/json-and-exit-codes.md"
    ) -> Explanation {
        let code = String(status.code)
        return Explanation(
            term: code,
            kind: .exitCode,
            title: titlePrefix(code) + short,
            meaning: meaning,
            fault: fault,
            again: again,
            steps: steps,
            page: page
        )
    }
}
