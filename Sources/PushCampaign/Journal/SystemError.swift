#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What the system said when a file could not be written or read.
struct SystemError: Error, Equatable, CustomStringConvertible {
    var number: Int32

    static var last: SystemError { SystemError(number: errno) }
    /// The file or folder is not where it was.
    static let absent = SystemError(number: ENOENT)
    /// The file has reached the size that the system allows.
    static let tooLarge = SystemError(number: EFBIG)

    /// There is no room left.
    var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }
    /// Nobody reads any more.
    var isClosedPipe: Bool { number == EPIPE }

    var description: String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }
}
