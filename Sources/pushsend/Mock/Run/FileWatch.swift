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
    /// - Throws: A `SmallFile.Problem`.
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
        do { return try read(path) } catch SmallFile.Problem.tooLarge(let maximum) {
            throw CommandFailure(.noSuchFile, "The file \"\(path)\" is too large: it's larger than \(maximum) bytes.")
        } catch SmallFile.Problem.folder {
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

/// Plays a scenario of `--scenario`: a ready one, or a file that is read again whenever it changes.
struct ScenarioPlayer: Sendable {
    let console: MockConsole
    /// The name of a ready scenario, or the path of a file.
    let argument: String

    private var isReady: Bool { MockConsole.readyScenarios.contains(argument) }

    /// Plays the scenario.
    ///
    /// - Throws: ``CommandFailure``, with file, line and column.
    func start() throws {
        if isReady {
            do throws(MockScenarioError) { try console.play(argument) } catch { throw failure(error) }
            return
        }
        let ready = MockConsole.readyScenarios.joined(separator: ", ")
        let text = try SettingsFile.read(
            argument, "There is no scenario file \"\(argument)\", or it can't be read. Ready scenarios: \(ready).")
        try rethrowing(try console.play(text, name: URL(filePath: argument).lastPathComponent), as: failure)
    }

    /// Plays the file again after each change, until the task is cancelled. If the file has a mistake, the active scenario stays
    /// active, and the mistake is reported once.
    func follow() async {
        guard !isReady else { return }
        await FileWatch.follow(argument) { _ in
            do {
                try start()
                Output.note("The scenario \"\(argument)\" was reloaded.")
            } catch let failure as CommandFailure {
                Output.complain("\(failure.message) The previous scenario stays active.")
            } catch {}
        }
    }

    private func failure(_ error: MockScenarioError) -> CommandFailure {
        let position =
            error.line.map { "\(argument.printable):\($0):\(error.column ?? 1): " } ?? "\(argument.printable): "
        return CommandFailure(.invalidInput, position + error.description)
    }
}

/// The file of `--phones`: profiles of virtual phones, read again whenever it changes.
struct PhonesFile: Sendable {
    let console: MockConsole
    let path: String

    /// Reads the file.
    ///
    /// - Throws: ``CommandFailure``, with file, line and column.
    func load() throws {
        try load(try SettingsFile.read(path, "There is no file of phones \"\(path)\", or it can't be read."))
    }

    private func load(_ text: [UInt8]) throws(CommandFailure) {
        do throws(MockPhoneFileError) {
            // Attachments and keys lie beside the file.
            try console.phones.load(text, folder: URL(filePath: path).deletingLastPathComponent().path)
        } catch {
            let prefix = error.line.map { "\(path.printable):\($0):\(error.column ?? 1): " } ?? "\(path.printable): "
            throw CommandFailure(.invalidInput, prefix + error.description)
        }
    }

    /// Reads the file again after each change, until the task is cancelled. If the file has a mistake, the phones stay as they
    /// are, and the mistake is reported once.
    func follow() async {
        await FileWatch.follow(path) { text in
            do throws(CommandFailure) {
                try load(text)
                Output.note("The phones of \"\(path)\" were reloaded.")
            } catch {
                Output.complain("\(error.message) The phones stay as they are.")
            }
        }
    }
}
