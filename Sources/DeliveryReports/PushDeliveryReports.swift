internal import PushJSON
internal import PushPlatform
public import PushProvider
internal import PushTime

/// Reads what became of accepted pushes, as Apple counts it: how many were delivered, stored and discarded in a day, for each push type;
/// and the subscribers of broadcast channels.
///
/// Apple makes an export on request, which takes a while. The counts are rounded, those of the last day come a day later, and they include
/// the pushes of all senders of the team. See Apple's pages "Exporting delivery metrics logs" and "Exporting broadcast push notification
/// metrics".
public struct PushDeliveryReports: Sendable {
    /// What is counted.
    public enum Dataset: Sendable, Hashable {
        case deliveries
        case broadcasts
        /// The broadcasts of a channel, by its id in base64.
        case channel(String)

        var name: String {
            switch self {
            case .deliveries: "deliverymetrics"
            case .broadcasts: "broadcastapplicationmetric"
            case .channel: "broadcastchannelmetrics"
            }
        }
    }

    /// The longest time that an export can cover, in days.
    public static let maximumDays = 30

    private let teamID: String
    private let token: String
    private let server: PushEnvironment
    private let proxy: PushProxy?
    private let timeout: Duration

    /// - Parameters:
    ///   - teamID: The id of the team, ten letters and digits.
    ///   - token: The data export token of CloudKit Console, for this app and dataset. It is valid for at most six months.
    ///   - server: The server; `nil` for Apple's.
    ///   - proxy: An HTTP proxy; `nil` for none.
    ///   - timeout: The time limit of each request.
    public init(
        teamID: String, token: String, server: PushEnvironment? = nil, proxy: PushProxy? = nil,
        timeout: Duration = .seconds(30)
    ) {
        self.teamID = teamID
        self.token = token
        self.server = server ?? PushEnvironment(host: "api.icloud.apple.com")
        self.proxy = proxy
        self.timeout = timeout
    }

    /// Requests an export, waits for it and reads it.
    ///
    /// - Parameters:
    ///   - dataset: What is counted.
    ///   - app: The bundle id.
    ///   - days: How many days back, 2 to ``maximumDays``. Today and yesterday are not counted yet.
    ///   - limit: How long to wait for the export. If it takes longer, the same request later gets the same export, for a day.
    ///   - progressed: Called when Apple is still making it, with the time so far.
    /// - Returns: A row for each day, and for each push type of deliveries, the oldest first.
    /// - Throws: ``Failure``; `CancellationError` if the task is cancelled.
    public func rows(
        _ dataset: Dataset, app: String, days: Int, waitingAtMost limit: Duration = .seconds(1800),
        progressed: @Sendable (Duration) -> Void = { _ in }
    ) async throws -> [Row] {
        guard (2...Self.maximumDays).contains(days) else {
            throw Failure(.wrongRequest, "An export covers 2 to \(Self.maximumDays) days, not \(days).")
        }
        let now = Date()
        func day(_ back: Int) -> String { String((now - Double(back) * 86_400).rfc3339.prefix(10)) }
        let export = try await request(dataset, app: app, from: day(days), to: day(1))
        let clock = ContinuousClock()
        let begun = clock.now
        var pause = Duration.seconds(1)
        while true {
            if let rows = try await rows(dataset, ofExport: export) { return rows }
            let waited = clock.now - begun
            guard waited + pause <= limit else {
                throw Failure(
                    .tooSlow, "Apple is still making the export. Within a day, the same request gets the same export.")
            }
            try await clock.sleep(for: pause)
            progressed(clock.now - begun)
            pause = min(pause * 2, .seconds(60))
        }
    }

    // MARK: The three requests

    /// Requests an export of days that the caller's clock has named, such as `2026-11-27`.
    ///
    /// - Returns: The address of the export, for ``rows(_:ofExport:)``. Only with the token does it tell anything.
    package func request(
        _ dataset: Dataset, app: String, from first: String, to last: String
    ) async throws -> String {
        guard [app, teamID].allSatisfy({ $0.utf8.count <= 255 && $0.wholeMatch(of: /[A-Za-z0-9._-]+/) != nil }) else {
            throw Failure(
                .wrongRequest, "A bundle id and a team id consist of letters, digits, dots, hyphens and underscores.")
        }
        var body: [String: PushJSONValue] = [
            "startDate": .string(first), "endDate": .string(last), "dataDownloadUrlExpiresInMinutes": .integer(60),
        ]
        if case .channel(let id) = dataset { body["channelId"] = .string(id) }
        let path = "/v1/dataExports/apns/teams/\(teamID)/appId/\(app)/datasetName/\(dataset.name)/request"
        let answer = try await ask(
            "POST", ReportURL(server, path), withToken: true, body: PushJSONValue.object(body).encoded)
        guard case .string(let address)? = PushJSONValue(json: answer)?["statusUrl"] else {
            throw Failure.unreadable("has no statusUrl")
        }
        return address
    }

    /// Reads an export.
    ///
    /// - Returns: Its rows; `nil` if Apple is still making it.
    package func rows(_ dataset: Dataset, ofExport address: String) async throws -> [Row]? {
        let json = PushJSONValue(json: try await ask("GET", try ReportURL(address, besides: server), withToken: true))
        switch json?["status"] {
        case .string("PROCESSING")?: return nil
        case .string("FAILED")?:
            throw Failure(.failed, "Apple couldn't make the export. Try again later.")
        case .string("EXPIRED")?:
            throw Failure(.expired, "The export has expired: Apple keeps it for six months. Request a new one.")
        case .string("SUCCESS")?:
            let details = json?["downloadDetails"]
            // Apple's page spells it both ways.
            guard case .string(let data)? = details?["dataUrl"] ?? details?["dataURL"] else {
                throw Failure.unreadable("has no address of the data")
            }
            // The address of the data holds its own permission, so it gets no token.
            return try ReportCSV.rows(try await ask("GET", try ReportURL(data), withToken: false), dataset)
        default: throw Failure.unreadable("has no status that is known")
        }
    }

    private func ask(
        _ method: String, _ url: ReportURL, withToken: Bool, body: [UInt8] = []
    ) async throws -> [UInt8] {
        try Task.checkCancellation()
        var fields = [
            (name: ":method", value: method), (":scheme", "https"), (":path", url.path), (":authority", url.authority),
        ]
        if withToken { fields.append(("x-apple-cloudkit-management-token", token)) }
        if !body.isEmpty { fields.append(("content-type", "application/json")) }
        var environment = PushEnvironment(host: url.host, port: url.port, trust: server.trust)
        environment.requiresALPN = server.requiresALPN
        let request = ProbedRequest(fields, body: body)
        let report = try await ServerProbe(environment, credentials: nil, proxy: proxy, timeout: timeout)
            .run(ProbedRequests(pause: .zero, bodyBytes: ReportCSV.maximumBytes) { $0.isEmpty ? request : nil })
        try Task.checkCancellation()
        guard let answer = report.paths.first?.answers.first, let status = answer.status else {
            let failure = report.paths.first?.failure ?? report.names.failure
            throw Failure(.unreachable, failure?.description ?? "\(url.host.printable) sent no answer.")
        }
        guard (200..<300).contains(status) else { throw Failure(status: status, isDownload: !withToken) }
        // A part of the file would give wrong counts.
        guard answer.isWhole else {
            throw Failure(.unreachable, "\(url.host.printable) broke off its answer. Try again later.")
        }
        guard answer.bodyByteCount <= ReportCSV.maximumBytes else {
            throw Failure(
                .unreadable, "The answer of \(url.host.printable) is larger than \(ReportCSV.maximumBytes >> 20) MiB.")
        }
        return answer.body
    }
}

/// An address of HTTPS.
struct ReportURL {
    let host: String
    let port: Int
    let path: String

    /// The maximum length, in bytes: an address is stored while Apple makes the export.
    private static let longest = 8192

    var authority: String { port == 443 ? host : "\(host):\(port)" }

    init(_ server: PushEnvironment, _ path: String) {
        (host, port, self.path) = (server.host, server.port, path)
    }

    init(_ text: String) throws(PushDeliveryReports.Failure) {
        guard let parts = URLComponents(string: text), parts.scheme == "https", let host = parts.host,
            // No name in DNS is longer.
            (1...253).contains(host.utf8.count), parts.user == nil, text.utf8.count <= Self.longest,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .unreadable("has an address that isn't one of HTTPS") }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        (self.host, port) = (host, parts.port ?? 443)
        self.path = path + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    }

    /// An address that gets the token: on the same server, or on another one of Apple's.
    init(_ text: String, besides server: PushEnvironment) throws(PushDeliveryReports.Failure) {
        try self.init(text)
        let isApples =
            server.host.hasSuffix(".apple.com") && port == 443
            && (host.hasSuffix(".apple.com") || host.hasSuffix(".icloud.com"))
        guard isApples || (host == server.host && port == server.port) else {
            throw .unreadable("names another server, \(host.printable), which must not get the token")
        }
    }
}

extension PushDeliveryReports {
    /// What was counted in a day.
    public struct Row: Sendable, Hashable {
        /// The day in UTC, as `2026-11-27`.
        public let day: String
        /// The push type; `nil` for broadcasts.
        public let pushType: String?
        /// The counts by their names. For deliveries these are the states: `delivered`, `stored`, `discarded` and others that Apple adds.
        /// For broadcasts: `published`, `delivered`, `subscriptions` and, for an app, `subscribers`. A count that Apple withholds,
        /// because there are few subscribers, is missing.
        public let counts: [String: Int]
    }

    /// Why there is no report.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The kinds. New kinds can be added.
        public struct Code: Sendable, Hashable {
            /// A stable word for programs.
            public let name: String
            /// The request is wrong: team, app, channel or days.
            public static let wrongRequest = Code(name: "wrong_request")
            /// The token is invalid, has expired, or is for another app or dataset.
            public static let tokenRefused = Code(name: "token_refused")
            /// Apple could not make the export.
            public static let failed = Code(name: "failed")
            /// The export or its download has expired.
            public static let expired = Code(name: "expired")
            /// The export was not ready in time.
            public static let tooSlow = Code(name: "too_slow")
            /// The answer is not what Apple documents.
            public static let unreadable = Code(name: "unreadable")
            /// There was no answer, or the server has a problem.
            public static let unreachable = Code(name: "unreachable")
        }

        /// The kind.
        public let code: Code
        /// What happened and what to do, in sentences without the token.
        public let description: String

        init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }

        static func unreadable(_ what: String) -> Failure { Failure(.unreadable, "The answer \(what).") }

        init(status: Int, isDownload: Bool) {
            switch status {
            case 403 where isDownload, 404 where isDownload, 410 where isDownload:
                self.init(.expired, "The download has expired (status \(status)). Request the report again.")
            case 401, 403:
                self.init(
                    .tokenRefused,
                    """
                    Apple refused the token (status \(status)): it is invalid, has expired, or is for another app or dataset. Make one in \
                    CloudKit Console, under Tokens.
                    """)
            case 400, 404:
                self.init(
                    .wrongRequest,
                    "Apple refused the request (status \(status)): check team, app, channel and the token's dataset.")
            case 429: self.init(.unreachable, "Apple wants fewer requests now (status 429). Try again later.")
            default: self.init(.unreachable, "The server answered \(status). Try again later.")
            }
        }
    }
}
