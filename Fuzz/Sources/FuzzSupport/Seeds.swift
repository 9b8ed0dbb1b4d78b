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

/// What a target begins with. It is made at run time, because some of it holds keys, and no key is kept in the repository.
package enum Seeds {
    /// With `FUZZ_SEEDS` the process writes the seeds into that folder and ends; without, it fuzzes.
    package static func writeIfAsked(_ seeds: () throws -> [String: [UInt8]]) {
        guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return }
        expected {
            for (name, bytes) in try seeds() {
                try Data(bytes).write(to: URL(filePath: folder).appending(path: name))
            }
        }
        // Without what runs at the end of a process: it would take what this frame holds for leaks.
        _exit(0)
    }
}
