/// The exit codes of commands. They are those of sysexits.h where one fits, and the same as those of pushsend. Scripts can
/// rely on them.
struct ExitStatus: Hashable, Sendable {
    let code: Int32

    /// Everything is right, or was done.
    static let success = ExitStatus(code: 0)
    /// A part was not done, for example because a job had its outcome already.
    static let partly = ExitStatus(code: 1)
    static let usage = ExitStatus(code: 64)
    static let invalidInput = ExitStatus(code: 65)
    static let noSuchFile = ExitStatus(code: 66)
    static let cannotConnect = ExitStatus(code: 69)
    static let ourFault = ExitStatus(code: 70)
    static let cannotCreate = ExitStatus(code: 73)
    static let cannotWrite = ExitStatus(code: 74)
    static let tryAgain = ExitStatus(code: 75)
    static let credentials = ExitStatus(code: 77)
    static let badConfiguration = ExitStatus(code: 78)
    static let interrupted = ExitStatus(code: 130)
}
