#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The first inputs of a target. They are made at run time, because some contain keys, and the repository must contain no key.
package enum Seeds {
    /// If `FUZZ_SEEDS` is set, the process writes the seeds into that folder and ends. Otherwise it fuzzes.
    package static func writeIfAsked(_ seeds: () throws -> [String: [UInt8]]) {
        guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return }
        expected {
            for (name, bytes) in try seeds() {
                try Data(bytes).write(to: URL(filePath: folder).appending(path: name))
            }
        }
        // `_exit` skips the leak check at the end, which would report the objects of this stack frame.
        _exit(0)
    }
}
