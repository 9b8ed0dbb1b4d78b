/// The exit codes of commands. They are those of sysexits.h where one fits, and the same as those of pushsend. Scripts can
/// rely on them.
struct ExitStatus: Hashable, Sendable {
    let code: Int32
    /// What it means, for the help. docs/service.md has the same text.
    let meaning: String

    static let success = ExitStatus(code: 0, meaning: "success")
    static let partly = ExitStatus(
        code: 1,
        meaning: "some jobs or keys weren't changed, or don't exist")
    static let usage = ExitStatus(code: 64, meaning: "wrong usage")
    static let invalidInput = ExitStatus(
        code: 65,
        meaning: "invalid input; "
            + "the database belongs to another program or to a newer version, or is damaged")
    static let noSuchFile = ExitStatus(code: 66, meaning: "a file doesn't exist or can't be read")
    static let cannotConnect = ExitStatus(code: 69, meaning: "the port is in use; a server can't be reached")
    static let ourFault = ExitStatus(code: 70, meaning: "internal error: please report it")
    static let cannotCreate = ExitStatus(
        code: 73,
        meaning: "the database can't be created or opened for writing, or its queue is sealed")
    static let cannotWrite = ExitStatus(code: 74, meaning: "the disk is full; output can't be written")
    static let tryAgain = ExitStatus(
        code: 75,
        meaning: "another process locks the database; "
            + "an export or import can't begin, because a process is still sending or webhooks haven't delivered all outcomes; "
            + "no answer about the credentials")
    static let credentials = ExitStatus(
        code: 77,
        meaning: "credentials that can't be used, or that were refused; "
            + "a certificate for HTTPS that can't be used")
    static let badConfiguration = ExitStatus(code: 78, meaning: "a mistake in the configuration")
    static let interrupted = ExitStatus(
        code: 130,
        meaning: "a second Ctrl-C or SIGTERM ended the service immediately; "
            + "Ctrl-C ended an export or import")

    /// All of them, in the order of their codes.
    static let all = [
        success, partly, usage, invalidInput, noSuchFile, cannotConnect, ourFault, cannotCreate, cannotWrite, tryAgain,
        credentials, badConfiguration, interrupted,
    ]

    /// The codes with their meanings, for the help.
    static var rows: [(name: String, description: String)] { all.map { ("\($0.code)", $0.meaning) } }
}
