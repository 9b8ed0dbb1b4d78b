internal import PushPlatform

/// The error of the system when a file could not be written or read.
struct SystemError: Error, Equatable, CustomStringConvertible {
    var number: Int32

    static var last: SystemError { SystemError(number: errno) }
    /// The file or folder no longer exists at its path.
    static let absent = SystemError(number: ENOENT)
    /// The file has reached the maximum size that the system allows.
    static let tooLarge = SystemError(number: EFBIG)

    /// Whether there is no space left.
    var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }
    /// Whether the reader of a pipe has closed it.
    var isClosedPipe: Bool { number == EPIPE }

    var description: String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }
}
