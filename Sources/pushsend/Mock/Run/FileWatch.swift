import PushPlatform

/// A file that people write for the mock: a scenario, phones, faults, an access token.
enum SettingsFile {
    /// The maximum size of such a file, in bytes. A larger file is refused.
    private static let mostBytes = 16 << 20

    /// Reads the text of a file, as UTF-8 without a byte order mark.
    ///
    /// - Throws: A `SmallFile.Problem`.
    static func read(_ path: String) throws -> [UInt8] {
        FileText.utf8(try SmallFile(path, atMost: mostBytes).bytes)
    }

    /// Reads the text of a file.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - message: What to say if the file is missing or cannot be read.
    /// - Returns: The text.
    /// - Throws: ``CommandFailure`` with 66.
    static func read(_ path: String, _ message: @autoclosure () -> String) throws -> [UInt8] {
        do { return try read(path) } catch SmallFile.Problem.tooLarge(let most) {
            throw CommandFailure(
                status: .noSuchFile, message: "The file \"\(path)\" is too large: it has more than \(most) bytes.")
        } catch {
            throw CommandFailure(status: .noSuchFile, message: message())
        }
    }
}

/// Watches a file that people edit while the mock runs.
enum FileWatch {
    /// The time between two checks whether the file has changed.
    private static let pollInterval = Duration.milliseconds(250)

    /// Calls an operation after each change, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - operation: What to do with the new content.
    static func follow(_ path: String, _ operation: ([UInt8]) -> Void) async {
        var last = try? SettingsFile.read(path)
        while !Task.isCancelled {
            try? await Task.sleep(for: pollInterval)
            guard let content = try? SettingsFile.read(path), content != last else { continue }
            last = content
            operation(content)
        }
    }
}
