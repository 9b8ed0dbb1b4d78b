import APNSVocabulary
import ArgumentParser
import PushPlatform
import PushQueue

struct PurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Erase everything about one device.",
        discussion: """
            Examples:
              pushserve queue purge --token 5f3ad1c07b9e42868d1f60a2c94be713
              pushserve queue purge --token - < token.txt

            It erases the jobs to this device token in every state, with payloads and history, and the note that the token is \
            gone. Pushes in flight are not stopped. This cannot be undone.
            """)

    @OptionGroup var database: DatabaseOptions

    @Option(
        help: ArgumentHelp(
            "The device token in hex; - reads it from standard input, which hides it from other users.",
            valueName: "token"))
    var token: String

    @Option(help: ArgumentHelp("Only in this app. Default: in all apps.", valueName: "name"))
    var app: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let text = token == "-" ? readLine(strippingNewline: true) ?? "" : token
        let device: DeviceToken
        do throws(DeviceTokenError) {
            device = try DeviceToken(pasted: text.trimmed)
        } catch {
            throw CommandFailure(status: .invalidInput, message: "--token: \(error)")
        }
        try await database.with { queue in
            let count = try await queue.purge(token: device.hex, app: app)
            StopReport(json: json).print(
                "purged", count, app: app, "Erased \(counted(count, "job")) to \(device.shortened).")
        }
    }
}

extension String {
    /// Without white space at both ends.
    fileprivate var trimmed: String {
        let start = drop { $0.isWhitespace }
        return String(start[..<(start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.startIndex)])
    }
}
