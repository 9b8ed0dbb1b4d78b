import APNSVocabulary
import PushJSON
import PushPlatform
import PushTime

/// Plays the export of delivery counts, which Apple serves on another host: a request for an export, its status, and the file.
///
/// The counts are those of the log. An export has no state: its addresses contain what was asked for, and when.
struct DeliveryExport {
    struct Answer {
        var status = 200
        var type = "application/json"
        var body: [UInt8] = []
    }

    /// What an export is about, as in its addresses.
    fileprivate struct Order {
        var app: String, set: String, from: String, to: String
        var made: Int
        /// The channel, in base64; empty for all.
        var channel: String

        var query: String { "\(app)/\(set)/\(from)/\(to)/\(made)/\(channel)" }
    }

    private static let root = "/v1/dataExports/"
    private static let sets = ["deliverymetrics", "broadcastapplicationmetric", "broadcastchannelmetrics"]
    /// The longest time before today that an export can begin, in days (Apple).
    private static let maximumDays = 30

    /// The host and the port that the client asked, for the addresses in answers.
    let authority: String
    let now: Date
    let variants: MockVariants
    let arrivals: () -> [MockArrival]

    static func serves(_ path: String) -> Bool { path.hasPrefix(root) }

    func answer(_ request: MockRequest) -> Answer {
        let parts = request.path.dropFirst(Self.root.count).split(separator: "?", maxSplits: 1)
        let segments = (parts.first ?? "").split(separator: "/")
        let order = parts.count == 2 ? Order(query: parts[1]) : nil
        switch (request.method, segments.first, order) {
        case ("POST", "apns", _): return made(request, segments)
        case ("GET", "status", let order?):
            return hasToken(request) ? status(of: order) : Answer(status: 401)
        case ("GET", "data", let order?): return Answer(type: "text/csv", body: Array(file(of: order).utf8))
        default: return Answer(status: 404)
        }
    }

    private func hasToken(_ request: MockRequest) -> Bool {
        request.fields.contains { $0.name == "x-apple-cloudkit-management-token" && !$0.value.isEmpty }
    }

    // MARK: Request and status

    private var address: String { "https://\(authority)\(Self.root)" }

    private func made(_ request: MockRequest, _ segments: [Substring]) -> Answer {
        guard segments.count == 8, segments[1] == "teams", segments[3] == "appId", segments[5] == "datasetName",
            segments[7] == "request", Self.sets.contains(String(segments[6]))
        else { return Answer(status: 404) }
        guard hasToken(request) else { return Answer(status: 401) }
        let body = PushJSONValue(json: request.body)
        guard case .string(let from)? = body?["startDate"], case .string(let to)? = body?["endDate"],
            case .integer(let minutes)? = body?["dataDownloadUrlExpiresInMinutes"], (20...60).contains(minutes),
            isRange(from, to)
        else { return Answer(status: 400) }
        var channel = ""
        if segments[6] == "broadcastchannelmetrics" {
            guard case .string(let id)? = body?["channelId"], !id.isEmpty, ChannelIDForm.isWellFormed(id) else {
                return Answer(status: 400)
            }
            channel = id
        }
        let order = Order(
            app: String(segments[4]), set: String(segments[6]), from: from, to: to,
            made: Int(now.timeIntervalSince1970), channel: channel)
        return Answer(
            json: [
                ("statusUrl", .string("\(address)status?\(order.query)")), ("requestedAt", .string(now.rfc3339)),
            ])
    }

    /// Apple: at most 30 days back, the end after the start and at least a day in the past.
    private func isRange(_ from: String, _ to: String) -> Bool {
        guard let first = Date(rfc3339: "\(from)T00:00:00Z"), let last = Date(rfc3339: "\(to)T00:00:00Z") else {
            return false
        }
        let days = now.timeIntervalSince(first) / 86_400
        return first < last && last <= now - 86_400 && days <= Double(Self.maximumDays + 1)
    }

    private func status(of order: Order) -> Answer {
        let made = Date(timeIntervalSince1970: Double(order.made))
        let isReady = now >= made + variants.exportTime / .seconds(1)
        let status = isReady ? variants.exportStatus : .processing
        let download = PushJSONValue.members([
            ("dataUrl", .string("\(address)data?\(order.query)")), ("expiresAt", .string((now + 1200).rfc3339)),
        ])
        return Answer(
            json: [
                ("requestedAt", .string(made.rfc3339)), ("status", .string(status.rawValue)),
                ("downloadDetails", status == .success ? download : nil),
            ])
    }

    // MARK: The file

    private func file(of order: Order) -> String {
        let own = arrivals().filter { arrival in
            let day = String(arrival.time.rfc3339.prefix(10))
            return arrival.verdict.isAccepted && arrival.wasAnswered && order.from <= day && day <= order.to
        }
        return order.set == "deliverymetrics" ? pushes(own, of: order.app) : broadcasts(own, of: order)
    }

    private func pushes(_ arrivals: [MockArrival], of app: String) -> String {
        var counts: [String: Int] = [:]
        for arrival in arrivals {
            guard let topic = arrival.request.topic, let delivery = arrival.verdict.delivery,
                topic == app || topic.hasPrefix("\(app).") && PushType.type(ofTopic: topic) != nil
            else { continue }
            let type = arrival.request.pushType ?? PushType.type(ofTopic: topic) ?? .alert
            counts["\(type.rawValue),\(delivery.rawValue),\(arrival.time.rfc3339.prefix(10))", default: 0] += 1
        }
        return (["Push Type,Status,Date (UTC),Count"] + counts.sorted { $0.key < $1.key }.map { "\($0),\($1)" })
            .joined(separator: "\n") + "\n"
    }

    /// The mock has no subscribers, so these figures are withheld, as Apple does for few.
    private func broadcasts(_ arrivals: [MockArrival], of order: Order) -> String {
        var counts: [String: Int] = [:]
        for arrival in arrivals
        where arrival.request.target == .broadcast(app: order.app)
            && (order.channel.isEmpty || arrival.request.channelID == order.channel)
        {
            counts[String(arrival.time.rfc3339.prefix(10)), default: 0] += 1
        }
        let isApp = order.set == "broadcastapplicationmetric"
        let head =
            "Date (UTC),Broadcasts Published,Broadcasts Delivered,Total Subscriptions"
            + (isApp ? ",Unique Subscribers" : "")
        let lines = counts.sorted { $0.key < $1.key }.map { "\($0),\($1),-1,-1" + (isApp ? ",-1" : "") }
        return ([head] + lines).joined(separator: "\n") + "\n"
    }
}

extension DeliveryExport.Answer {
    fileprivate init(json: [(String, PushJSONValue?)]) { self.init(body: PushJSONValue.members(json).encoded) }
}

extension DeliveryExport.Order {
    init?(query: Substring) {
        let parts = query.split(separator: "/", maxSplits: 5, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, let made = Int(parts[4]) else { return nil }
        self.init(app: parts[0], set: parts[1], from: parts[2], to: parts[3], made: made, channel: parts[5])
    }
}
