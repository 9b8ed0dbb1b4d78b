import PushCommandLine
import PushPlatform

/// A payload file. It is read up to a limit that no payload exceeds, and replaced as a whole.
enum PayloadFile {
    /// The maximum size in bytes. Of a larger file, only one byte more than this is read.
    private static let maximumBytes = 1 << 20

    /// - Throws: ``CommandFailure`` with 66 if it cannot be read.
    static func read(_ path: String) throws -> [UInt8] {
        do throws(SmallFile.Failure) { return try SmallFile(beginningOf: path, maximumBytes + 1).bytes } catch {
            let reason: Int32 =
                switch error {
                case .missing: ENOENT
                case .folder: EISDIR
                case .tooLarge: EFBIG
                case .unreadable(let number): number
                }
            throw CommandFailure(
                .noSuchFile, "The file \"\(path)\" can't be read: \(String(cString: strerror(reason))).")
        }
    }

    /// Replaces the content of a file atomically. Its mode is kept, and a link stays a link.
    ///
    /// - Throws: ``CommandFailure`` with 64 for a pipe or a device, and with 73 if the file cannot be written.
    static func replace(_ path: String, with bytes: [UInt8], insteadOf old: [UInt8]) throws {
        guard bytes != old else { return }
        guard FileKind(path: path) != .stream else {
            throw CommandFailure.usage(
                "\"\(path)\" is a pipe or a device, and --fix writes files: give it as -, and the result goes to standard output."
            )
        }
        let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        do {
            let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions]
            let new = "\(target).\(getpid()).new"
            do {
                try Data(bytes).write(to: URL(filePath: new), options: .withoutOverwriting)
                if let mode { try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: new) }
                guard rename(new, target) == 0 else { throw CocoaError(.fileWriteUnknown) }
            } catch {
                unlink(new)
                throw error
            }
        } catch {
            throw CommandFailure(.cannotCreate, "The file \"\(path)\" can't be written; it wasn't changed.")
        }
    }
}
