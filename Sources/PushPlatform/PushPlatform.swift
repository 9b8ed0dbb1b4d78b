// The system's C library and the basic types of Foundation, under one name on every platform. It is the only file that
// chooses between them. Where the libraries differ, it also has what the targets need.

#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif

#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#else
    @_exported public import Darwin
#endif

/// The system's `read`, for types that have a `read` of their own.
///
/// - Parameters:
///   - descriptor: The file.
///   - bytes: Where the bytes go.
///   - count: The maximum number of bytes.
/// - Returns: The number of bytes, 0 at the end of the file, or -1. Then `errno` has the reason, which may be `EINTR`.
package func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

/// The system's `write`, for types that have a `write` of their own.
///
/// - Parameters:
///   - descriptor: The file.
///   - bytes: The bytes.
///   - count: The number of bytes.
/// - Returns: The number of bytes that were written, or -1. Then `errno` has the reason, which may be `EINTR`.
package func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// A path without symbolic links (`realpath`).
///
/// - Parameter path: The path of a file or folder.
/// - Returns: Its absolute path; `nil` if it leads to nothing. Then `errno` has the reason.
package func realPath(of path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
}

/// A limit that the system sets for this process (`ulimit`).
package enum SystemLimit: Sendable {
    /// The number of open files, and so of connections (`ulimit -n`).
    case openFiles
    /// The size of a file in bytes (`ulimit -f`).
    case fileSize

    /// The limit; `nil` if there is none, or if it is unknown.
    package var current: Int? { values.flatMap { Int(exactly: $0.rlim_cur) } }

    /// Raises the limit to the maximum that the system allows.
    package func raise() {
        guard var values, values.rlim_cur < values.rlim_max else { return }
        values.rlim_cur = values.rlim_max
        setrlimit(resource, &values)
    }

    private var values: rlimit? {
        var values = rlimit()
        return getrlimit(resource, &values) == 0 ? values : nil
    }

    #if canImport(Glibc)
        package var resource: __rlimit_resource_t {
            switch self {
            case .openFiles: __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
            case .fileSize: __rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue))
            }
        }
    #else
        /// The limit as `getrlimit` and `setrlimit` take it.
        package var resource: Int32 {
            switch self {
            case .openFiles: RLIMIT_NOFILE
            case .fileSize: RLIMIT_FSIZE
            }
        }
    #endif
}

/// The resources that this process has used.
package func systemUsage() -> rusage {
    var usage = rusage()
    #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
        getrusage(RUSAGE_SELF, &usage)
    #endif
    return usage
}

extension stat {
    package var modified: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }
}

/// `SOCK_STREAM` as the number that the functions of sockets take.
package var streamSocket: Int32 {
    #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue)
    #else
        SOCK_STREAM
    #endif
}

/// Finds out whether other users may have written a file or a folder. Then nothing that it says is to be believed.
package enum OtherWriters {
    /// Why other users may have written it, as a clause; `nil` if only this user and root can.
    ///
    /// In a folder with the sticky bit, such as `/tmp`, nobody can replace a file of another user. A group that may write to a folder
    /// leaves files that belong to somebody else. So check each file in such folders, too.
    ///
    /// - Parameter facts: The facts of the file or folder.
    /// - Returns: The clause.
    package static func problem(of facts: stat) -> String? {
        guard facts.st_uid == geteuid() || facts.st_uid == 0 else { return "it belongs to the user \(facts.st_uid)" }
        let mode = facts.st_mode & 0o7777
        let isFolder = facts.st_mode & S_IFMT == S_IFDIR
        let isOpen = isFolder ? mode & 0o002 != 0 && mode & 0o1000 == 0 : mode & 0o022 != 0
        return isOpen ? "other users can change it (its mode is 0\(String(mode, radix: 8)))" : nil
    }
}
