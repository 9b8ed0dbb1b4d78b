import ArgumentParser
import PushProvider

/// What opens an encrypted file.
struct Passphrase {
    /// Its bytes, without a line break at the end.
    var bytes: [UInt8]
}

/// Where a passphrase comes from: never from an argument, which others on the machine can read.
struct PassphraseOptions: ParsableArguments {
    @Option(
        name: .customLong("passphrase-file"),
        help: ArgumentHelp(
            "The file with the passphrase on its first line; or PUSHSEND_PASSPHRASE.", valueName: "file")
    )
    var file: String?

    /// The passphrase that was given; `nil` when none was.
    func given() throws -> Passphrase? {
        guard let file else { return Fallback.value("PASSPHRASE").map { Passphrase(bytes: Array($0.utf8)) } }
        do {
            let contents = try KeyFile(path: file)
            let line = contents.bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            return Passphrase(bytes: Array(line))
        } catch {
            throw CommandFailure(error)
        }
    }
}
