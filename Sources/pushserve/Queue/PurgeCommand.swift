import APNSVocabulary
import ArgumentParser
import PushCommandLine
import PushPlatform
import PushQueue
import PushService

struct PurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Erase everything about one device, or about one app.",
        discussion: """
            Examples:
              pushserve queue purge --token 5f3ad1c07b9e42868d1f60a2c94be713
              pushserve queue purge --token - < token.txt
              pushserve queue purge --all --app shop

            It erases the jobs to this device token in every state, with payloads and history, and the note that the token is \
            gone. With --all, it erases all jobs, keys, gone tokens and Apple's delivery counts of the app; as long as the configuration has \
            a token for these, the next import brings those of the last 30 days again. If the database comes from the configuration, it also \
            erases rows and outcomes in the inboxes there; otherwise it says that they were not asked. Pushes in flight aren't stopped. \
            This can't be undone.
            """)

    @OptionGroup var database: DatabaseOptions

    @Option(
        help: ArgumentHelp(
            "The device token in hex; - reads it from standard input, which hides it from other users.",
            valueName: "token"))
    var token: String?

    @Flag(help: "Everything of the app.")
    var all = false

    @Option(help: ArgumentHelp("Only in this app. Default: in all apps.", valueName: "name"))
    var app: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if all == (token != nil) { throw ValidationError("Give either --token TOKEN, or --all and --app.") }
        if all, app == nil { throw ValidationError("--all is for the jobs of one app. Give --app, too.") }
    }

    func run() async throws {
        if let token {
            let text = token == "-" ? readLine(strippingNewline: true) ?? "" : token
            let device = try rethrowing(try DeviceToken(pasted: text.trimmed)) { (error: DeviceTokenError) in
                CommandFailure(.invalidInput, "--token: \(error)")
            }
            let entry = QueueAuditEntry.command("notifications.erase", app: app ?? "", object: device.shortened)
            try await purge("to \(device.shortened)", entry) { try await $0.erase(token: device.hex, app: app) }
        } else if let app {
            let entry = QueueAuditEntry.command("app.purge", app: app, object: app)
            try await purge("of the app \(app.printable)", entry) { try await $0.erase(app: app) }
        }
    }

    private func purge(
        _ what: String, _ entry: QueueAuditEntry, _ erase: (DeviceData) async throws -> DeviceData.Erased
    ) async throws {
        var report = StopReport(json: json)
        try await database.with { queue in
            report.isComplete = try await AppNames.areKnown(app, queue, database)
            // The entry comes first: an erasure that is interrupted has begun.
            try await queue.note(entry)
            let (count, rows) = try await database.withInboxes { try await erase(DeviceData(queue, $0)).whole() }
            report.printPurged(
                count, app: app, "Erased \(counted(count, "job")) \(what).", rows: database.knowsInboxes ? rows : nil)
        }
        report.end()
    }
}
