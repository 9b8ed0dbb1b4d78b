import APNSVocabulary
import MockConsole
import PushCommandLine
import PushPlatform

/// A file that people write for the mock: a scenario, phones, faults, an access token.
enum SettingsFile {
    /// The maximum size of such a file, in bytes. A larger file is refused.
    private static let maximumBytes = 16 << 20

    /// Reads the text of a file, as UTF-8 without a byte order mark.
    ///
    /// - Throws: A `SmallFile.Failure`.
    static func read(_ path: String) throws -> [UInt8] {
        FileText.utf8(try SmallFile(path, atMost: maximumBytes).bytes)
    }

    /// Reads the text of a file.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - message: What to say if the file is missing or cannot be read.
    /// - Returns: The text.
    /// - Throws: ``CommandFailure`` with 66.
    static func read(_ path: String, _ message: @autoclosure () -> String) throws -> [UInt8] {
        do { return try read(path) } catch SmallFile.Failure.tooLarge(let maximum) {
            throw CommandFailure(.noSuchFile, "The file \"\(path)\" is too large: it's larger than \(maximum) bytes.")
        } catch SmallFile.Failure.folder {
            throw CommandFailure(.noSuchFile, "\"\(path.printable)\" is a folder, not a file.")
        } catch {
            throw CommandFailure(.noSuchFile, message())
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

/// A file of `--scenario` or `--phones`, which is read at the start, and again after each change.
struct SetupFile: Sendable {
    private let path: String
    /// What to say if it is missing or cannot be read.
    private let missing: String
    /// What to say after it was read again.
    private let reloaded: String
    /// What to say if it then has a mistake.
    private let unchanged: String
    private let apply: @Sendable ([UInt8]) throws(CommandFailure) -> Void

    static func scenario(_ path: String, on console: MockConsole) -> SetupFile {
        let ready = MockConsole.readyScenarios.joined(separator: ", ")
        return SetupFile(
            path: path,
            missing: "There is no scenario file \"\(path)\", or it can't be read. Ready scenarios: \(ready).",
            reloaded: "The scenario \"\(path)\" was reloaded.", unchanged: "The previous scenario stays active."
        ) { text throws(CommandFailure) in
            do throws(MockScenarioError) {
                try console.play(text, name: URL(filePath: path).lastPathComponent)
            } catch {
                throw failure(path, error.line, error.column, error.description)
            }
        }
    }

    static func phones(_ path: String, on console: MockConsole) -> SetupFile {
        SetupFile(
            path: path, missing: "There is no file of phones \"\(path)\", or it can't be read.",
            reloaded: "The phones of \"\(path)\" were reloaded.", unchanged: "The phones stay as they are."
        ) { text throws(CommandFailure) in
            do throws(MockPhoneFileError) {
                // Attachments and keys lie beside the file.
                try console.phones.load(text, folder: URL(filePath: path).deletingLastPathComponent().path)
            } catch {
                throw failure(path, error.line, error.column, error.description)
            }
        }
    }

    /// Reads the file.
    ///
    /// - Throws: ``CommandFailure``, with file, line and column.
    func load() throws { try apply(try SettingsFile.read(path, missing)) }

    /// Reads the file again after each change, until the task is cancelled. If the file has a mistake, nothing changes, and the mistake
    /// is reported once.
    func follow() async {
        await FileWatch.follow(path) { text in
            do throws(CommandFailure) {
                try apply(text)
                Output.note(reloaded)
            } catch {
                Output.complain("\(error.message) \(unchanged)")
            }
        }
    }

    static func failure(_ path: String, _ line: Int?, _ column: Int?, _ problem: String) -> CommandFailure {
        let position = line.map { "\($0):\(column ?? 1):" } ?? ""
        return CommandFailure(.invalidInput, "\(path.printable):\(position) \(problem)")
    }
}
