import APNSVocabulary
import MockConsole
import PushPlatform

/// The file of `--phones`: profiles of virtual phones, read again whenever it changes.
struct PhonesFile: Sendable {
    let console: MockConsole
    let path: String

    /// Reads the file.
    ///
    /// - Throws: ``CommandFailure``, with file, line and column.
    func load() throws {
        try load(try SettingsFile.read(path, "There is no file of phones \"\(path)\", or it cannot be read."))
    }

    private func load(_ text: [UInt8]) throws(CommandFailure) {
        do throws(MockPhoneFileError) {
            // Attachments and keys lie beside the file.
            try console.phones.load(text, folder: URL(filePath: path).deletingLastPathComponent().path)
        } catch {
            let prefix = error.line.map { "\(path.printable):\($0):\(error.column ?? 1): " } ?? "\(path.printable): "
            throw CommandFailure(status: .invalidInput, message: prefix + error.description)
        }
    }

    /// Reads the file again after each change, until the task is cancelled. If the file has a mistake, the phones stay as they
    /// are, and the mistake is reported once.
    func follow() async {
        await FileWatch.follow(path) { text in
            do throws(CommandFailure) {
                try load(text)
                Output.note("The phones of \"\(path)\" were read again.")
            } catch {
                Output.complain("\(error.message) The phones stay as they are.")
            }
        }
    }
}
