import ArgumentParser
import DeliveryReports
import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider
import PushTime

struct DeliveryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delivery",
        abstract: "Show what became of accepted pushes, as Apple counts it: delivered, stored, discarded.",
        discussion: """
            Example:
              pushsend delivery --app com.example.app --team-id DEF123GHIJ \\
                --token-file export.token

            The token is a data export token of CloudKit Console, for this app and dataset. Give it in a file or in \
            PUSHSEND_EXPORT_TOKEN, never on the command line. Apple makes the export on request, which can take minutes; the same \
            command gets the same export for a day.

            The counts are rounded, and they include the pushes of all senders of the team. Those of yesterday come a day later.
            """)

    @OptionGroup var profileOption: ProfileOption

    @Option(help: ArgumentHelp("The app's bundle id. Default: the topic of the profile.", valueName: "bundle-id"))
    var app: String?

    @Option(help: ArgumentHelp("The team id. Default: that of the profile.", valueName: "id"))
    var teamID: String?

    @Option(
        help: ArgumentHelp("A file whose first line is the token; - for standard input.", valueName: "file|-"),
        completion: .file())
    var tokenFile: String?

    // Accepted only to explain how to give a token.
    @Option(help: .hidden)
    var token: String?

    @Option(help: ArgumentHelp("How many days back, 2 to 30.", valueName: "n"))
    var days = 7

    @Flag(help: "Show the broadcasts of the app and the subscribers of its channels instead.")
    var broadcasts = false

    @Option(help: ArgumentHelp("Show the broadcasts of this channel instead.", valueName: "channel-id"))
    var channel: String?

    @Option(help: ArgumentHelp("How long to wait for the export. Default: 30m.", valueName: "duration"))
    var wait: DurationArgument?

    @Flag(help: "Ask a running \"pushsend mock\", which counts the pushes in its log.")
    var mock = false

    @OptionGroup var state: StateFolderOption

    @Option(help: ArgumentHelp("Ask this server instead of Apple.", valueName: "host:port"))
    var endpoint: EndpointArgument?

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Trust only the certificate authorities in this PEM file.", valueName: "file"),
        completion: .file())
    var authorities: String?

    @Option(
        help: ArgumentHelp(
            "Connect through this HTTP proxy; '' for none. Default: HTTPS_PROXY and NO_PROXY.", valueName: "url"))
    var proxy: String?

    @Flag(help: "Print the result as one JSON object.")
    var json = false

    @Flag(help: "Print CSV: day, push type, count, number.")
    var csv = false

    func validate() throws {
        if token != nil {
            throw ValidationError(
                "Other users of this machine can read a token on the command line. Use --token-file FILE or PUSHSEND_EXPORT_TOKEN."
            )
        }
        if json && csv { throw ValidationError(notTogether("--json", "--csv")) }
        if broadcasts && channel != nil {
            throw ValidationError(notTogether("--broadcasts", "--channel"))
        }
        if mock && (endpoint != nil || authorities != nil) {
            throw ValidationError("--mock sets the server and its CA: leave out --endpoint and --cacert.")
        }
        if !mock && state.folder != nil { throw ValidationError(StateFolderOption.needsMock) }
        if let channel {
            do throws(PushConfigurationError) { _ = try PushChannel.ID(channel) } catch {
                throw ValidationError("--channel: \(error.description)")
            }
        }
        if !(2...PushDeliveryReports.maximumDays).contains(days) {
            throw ValidationError("--days must be from 2 to \(PushDeliveryReports.maximumDays).")
        }
    }

    func run() async throws {
        let settings = try profileOption.settings()
        guard let app = app ?? settings.value(.topic) else {
            throw CommandFailure.usage("Give --app, the app's bundle id.")
        }
        try CommandFailure.requireBundleID(app, "--app")
        let note = mock ? try MockNote.ofRunningMock(on: try state.path) : nil
        guard let team = teamID ?? note?.teamID ?? settings.value(.teamID) else {
            throw CommandFailure.usage("Give --team-id, the id of the team in Apple's developer portal.")
        }
        if let problem = PushProviderKey.problem(in: team) {
            throw CommandFailure.usage("The --team-id \"\(team.printable)\" \(problem).")
        }
        let server = try server(note, settings)
        let reports = PushDeliveryReports(
            teamID: team, token: try readToken(isMock: mock), server: server,
            proxy: try ProxyChoice(option: proxy, setting: settings[.proxy], to: server, isMock: mock).proxy)
        let dataset = channel.map(PushDeliveryReports.Dataset.channel) ?? (broadcasts ? .broadcasts : .deliveries)
        let isSeen = Prompt.isSeen
        do {
            let rows = try await reports.rows(
                dataset, app: app, days: days, waitingAtMost: wait?.duration ?? .seconds(1800)
            ) { waited in
                let seconds = Duration.seconds(waited.components.seconds).unitText
                if isSeen { Output.note("Apple is making the export, for \(seconds) so far ...") }
            }
            let report = DeliveryReport(app: app, days: days, rows: rows)
            if json {
                Output.print(report.json.text)
            } else if csv {
                Output.print(report.csv)
            } else {
                report.lines(colours: Output.resultsHaveColours).forEach { _ = Output.offer(painted: $0) }
            }
        } catch let failure as PushDeliveryReports.Failure {
            throw CommandFailure(Self.status(failure.code), failure.description)
        }
    }

    private func server(_ note: MockNote?, _ settings: Settings) throws -> PushEnvironment {
        var server = PushEnvironment(host: note?.host ?? endpoint?.host ?? "api.icloud.apple.com")
        if let port = note?.port ?? endpoint?.port { server.port = port }
        // A variable that names another server has its CA file.
        let isOfThis = settings.server?.endpoint?.origin.isFile ?? true
        let fallback = isOfThis ? settings.authorities(forFileEndpoint: false) : nil
        server.trust = try TargetOptions.trust(note?.authorityFile ?? authorities ?? fallback)
        return server
    }

    private func readToken(isMock: Bool) throws -> String {
        let bytes: [UInt8]
        let source: String
        if let tokenFile {
            source = "--token-file"
            bytes =
                try SingleUseInput.contents(tokenFile, of: "a token")
                ?? SettingsFile.read(tokenFile, "The file of --token-file doesn't exist or can't be read.")
        } else if let token = Fallback.exportToken.value {
            (bytes, source) = (Array(token.utf8), "PUSHSEND_EXPORT_TOKEN")
        } else if isMock {
            return "mock"
        } else {
            throw CommandFailure.usage("Give --token-file, or the token in PUSHSEND_EXPORT_TOKEN.")
        }
        guard let token = FileText.word(bytes) else {
            throw CommandFailure(.invalidInput, "The first line of \(source) isn't a token: it must be one word.")
        }
        return token
    }

    private static func status(_ code: PushDeliveryReports.Failure.Code) -> ExitStatus {
        switch code {
        case .wrongRequest: .usage
        case .tokenRefused: .credentials
        case .unreachable: .cannotConnect
        default: .tryAgain
        }
    }
}

/// How `pushsend delivery` shows the counts: a table with bars for people, JSON and CSV for programs.
struct DeliveryReport {
    let app: String
    let days: Int
    let rows: [PushDeliveryReports.Row]

    func lines(colours: Bool) -> [String] {
        guard !rows.isEmpty else { return ["Apple counted nothing for \(app.printable) in these \(days) days."] }
        let names = Set(rows.flatMap(\.counts.keys)).sorted { (Self.rank($0), $0) < (Self.rank($1), $1) }
        // Broadcasts have no push types.
        let titles = rows.contains { $0.pushType != nil } ? ["day", "type"] : ["day"]
        var table = TextTable(
            titles + names.map(\.printable), numbers: Set(titles.count..<titles.count + names.count))
        for row in rows {
            let figures = names.map { row.counts[$0].map(CampaignText.grouped) ?? "-" }
            table.add([row.day, row.pushType ?? ""].prefix(titles.count) + figures)
        }
        let sums = rows.map { $0.counts.values.reduce(0, +) }
        let bars = sums.map { CampaignTable.bar(Double($0) / Double(max(sums.max() ?? 0, 1)), widest: 30) }
        return zip(table.lines, [""] + bars.map { "  " + Colour.cyan.paint($0, colours) }).map { $0 + $1 }
            + ["", "Apple rounds the counts, and they include all senders of the team."]
    }

    var json: JSONLine {
        let rows = rows.map { row in
            PushJSONValue.members([
                ("day", .string(row.day)), ("push_type", row.pushType.map(PushJSONValue.string)),
                ("counts", .object(row.counts.mapValues(PushJSONValue.integer))),
            ])
        }
        return ["app": .string(app), "days": .integer(days), "rows": .array(rows)]
    }

    var csv: String {
        (["day,push_type,count,number"]
            + rows.flatMap { row in
                row.counts.sorted { $0.key < $1.key }
                    .map { "\(row.day.printable),\((row.pushType ?? "").printable),\($0.key.printable),\($0.value)" }
            }).joined(separator: "\n")
    }

    /// The states in the order in which people think of them; others come after.
    private static func rank(_ name: String) -> Int {
        ["published", "delivered", "stored", "discarded", "subscriptions", "subscribers"].firstIndex(of: name) ?? 9
    }
}
