import APNSVocabulary
import MockConsole
import PushPlatform

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
            argument, "There is no scenario file \"\(argument)\", or it cannot be read. Ready scenarios: \(ready).")
        do throws(MockScenarioError) {
            try console.play(text, name: URL(filePath: argument).lastPathComponent)
        } catch {
            throw failure(error)
        }
    }

    /// Plays the file again after each change, until the task is cancelled. If the file has a mistake, the active scenario stays
    /// active, and the mistake is reported once.
    func follow() async {
        guard !isReady else { return }
        await FileWatch.follow(argument) { _ in
            do {
                try start()
                Output.note("The scenario \"\(argument)\" was read again.")
            } catch let failure as CommandFailure {
                Output.complain("\(failure.message) The previous scenario stays active.")
            } catch {}
        }
    }

    private func failure(_ error: MockScenarioError) -> CommandFailure {
        let position =
            error.line.map { "\(argument.printable):\($0):\(error.column ?? 1): " } ?? "\(argument.printable): "
        return CommandFailure(status: .invalidInput, message: position + error.description)
    }
}
