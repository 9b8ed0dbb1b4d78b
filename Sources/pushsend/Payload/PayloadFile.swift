#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file with a payload: read no further than any payload goes, and replaced whole.
enum PayloadFile {
    /// What is longer is told to be too long, and not read to its end.
    private static let mostBytes = 1 << 20

    /// - Throws: ``CommandFailure`` with 66 when it cannot be read.
    static func read(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= mostBytes {
            let count = systemRead(descriptor, &part)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path) }
            if count == 0 { break }
            bytes.append(contentsOf: part[..<count])
        }
        return bytes
    }

    private static func unreadable(_ path: String) -> CommandFailure {
        CommandFailure(
            status: .noSuchFile, message: "The file \"\(path)\" cannot be read: \(String(cString: strerror(errno))).")
    }

    /// Puts other bytes into a file, in one step, so that nobody ever sees half of it. Its mode stays, and a link stays a
    /// link.
    ///
    /// - Throws: ``CommandFailure`` with 64 for a pipe or a device, and with 73 when the file cannot be written.
    static func replace(_ path: String, with bytes: [UInt8], insteadOf old: [UInt8]) throws {
        guard bytes != old else { return }
        guard FileKind(path: path) != .stream else {
            throw CommandFailure.usage(
                "\"\(path)\" is a pipe or a device, and --fix writes files: give it as -, and the result goes to standard output."
            )
        }
        let place = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        do {
            let mode = try FileManager.default.attributesOfItem(atPath: place)[.posixPermissions]
            let new = "\(place).\(getpid()).new"
            do {
                try Data(bytes).write(to: URL(filePath: new), options: .withoutOverwriting)
                if let mode { try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: new) }
                guard rename(new, place) == 0 else { throw CocoaError(.fileWriteUnknown) }
            } catch {
                unlink(new)
                throw error
            }
        } catch {
            throw CommandFailure(
                status: .cannotCreate, message: "The file \"\(path)\" cannot be written; it is as it was.")
        }
    }

    private static func systemRead(_ descriptor: Int32, _ part: inout [UInt8]) -> Int {
        #if canImport(Glibc)
            Glibc.read(descriptor, &part, part.count)
        #elseif canImport(Musl)
            Musl.read(descriptor, &part, part.count)
        #else
            Darwin.read(descriptor, &part, part.count)
        #endif
    }
}
