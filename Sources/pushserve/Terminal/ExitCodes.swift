import PushCommandLine

enum ExitCodes {
    /// All of them with what they mean, for the help, in the order of their codes. docs/service.md has the same texts.
    static let all: [(status: ExitStatus, meaning: String)] = [
        (.success, "success"),
        (
            .rejected,
            "some jobs or keys weren't changed, or don't exist; neither the queue nor the configuration has the app"
        ),
        (.usage, "wrong usage"),
        (.invalidInput, "invalid input; the database belongs to another program or to a newer version, or is damaged"),
        (.noSuchFile, "a file doesn't exist or can't be read"),
        (.cannotConnect, "the port is in use; a server can't be reached"),
        (.ourFault, "internal error: please report it"),
        (.cannotCreate, "the database can't be created or opened for writing, or its queue is sealed"),
        (.cannotWrite, "the disk is full; output can't be written"),
        (
            .tryAgain,
            """
            another process has locked the database; an export or import can't begin, because a process is still sending, or \
            because a webhook, an inbox or your own table hasn't received all its outcomes; no answer about the credentials
            """
        ),
        (
            .credentials,
            "credentials that can't be used, or that were refused; a certificate for HTTPS that can't be used"
        ),
        (.badConfiguration, "a mistake in the configuration"),
        (.interrupted, "a second Ctrl-C or SIGTERM ended the service immediately; Ctrl-C ended an export or import"),
    ]

    static var rows: [(name: String, description: String)] { all.map { ("\($0.status.code)", $0.meaning) } }
}
