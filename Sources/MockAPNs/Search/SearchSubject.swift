import APNSVocabulary
import PushJSON
import PushPlatform
import PushTime

/// A request, as a search reads it. The payload is parsed only once, when a term needs it.
struct SearchSubject {
    private let arrival: MockArrival
    /// Its outcome on a phone; `nil` if that is not known or no term needs it.
    private let phoneResult: PhoneResult?
    private lazy var payload = try? LocatedJSON(json: arrival.request.body)

    init(_ arrival: MockArrival, phoneResult: PhoneResult? = nil) {
        self.arrival = arrival
        self.phoneResult = phoneResult
    }

    mutating func satisfies(_ term: MockArrivalSearch.Term) -> Bool {
        isTrue(term) != term.isNegated
    }

    private mutating func isTrue(_ term: MockArrivalSearch.Term) -> Bool {
        let value = term.value
        switch term.key {
        case .before: return Date(text: value).map { arrival.time < $0 } ?? false
        case .after: return Date(text: value).map { arrival.time > $0 } ?? false
        case .status where value == "any": return true
        case .status where value.hasSuffix("xx"): return String(arrival.verdict.status / 100) == value.prefix(1)
        case .token: return arrival.deviceToken.lowercased().hasPrefix(Self.beginning(value))
        case .attachment where value == "any": return phoneResult?.attachment != nil
        case .violation where value == "any": return !arrival.violations.isEmpty
        case nil, .payload, .title, .body:
            let part = Self.beginning(value)
            return values(of: term.key).contains { part.isEmpty || $0.lowercased().contains(part) }
        default: return values(of: term.key).contains { Self.equals($0, value) }
        }
    }

    mutating func values(of key: MockArrivalSearch.Key?) -> [String] {
        let request = arrival.request
        let values: [String?] =
            switch key {
            case .token: [arrival.deviceToken]
            case .topic: [request.topic, request.target.app]
            case .type: [request.pushType?.rawValue]
            case .priority: [request.priority]
            case .collapse: [request.collapseID]
            case .id: [arrival.verdict.messageID]
            case .channel: [request.channelID, arrival.verdict.channelID]
            case .thread: [aps("thread-id")?.plainText]
            case .category: [aps("category")?.plainText]
            case .title: [alert("title")?.plainText]
            case .body: [alert("body")?.plainText ?? aps("alert")?.plainText]
            case nil, .payload: [arrival.payload]
            case .status: [String(arrival.verdict.status)]
            case .reason: [arrival.verdict.reason?.rawValue]
            case .delivery: [arrival.verdict.delivery?.rawValue]
            case .kid: [arrival.sender.keyID]
            case .team: [arrival.sender.teamID]
            case .certificate: [arrival.sender.certificate]
            case .conn: [String(arrival.connection)]
            case .fault: arrival.fault.map { [$0.name, String($0.id.number)] } ?? []
            case .violation: arrival.violations.map(\.id)
            case .before, .after: [arrival.time.rfc3339]
            case .outcome: [phoneResult?.outcome]
            case .phone: [phoneResult?.phone]
            case .attachment: [phoneResult?.attachment]
            case .group: [phoneResult?.group]
            }
        return values.compactMap { $0 }.filter { !$0.isEmpty }
    }

    private mutating func aps(_ name: String) -> LocatedJSON? { payload?["aps"]?[name] }

    private mutating func alert(_ name: String) -> LocatedJSON? { aps("alert")?[name] }

    /// Compares without regard to letter case. A star at the end of the pattern matches any text.
    private static func equals(_ text: String, _ pattern: String) -> Bool {
        pattern.hasSuffix("*")
            ? text.lowercased().hasPrefix(beginning(pattern)) : text.lowercased() == pattern.lowercased()
    }

    /// A pattern without the star at its end, in lower case.
    private static func beginning(_ pattern: String) -> String {
        (pattern.hasSuffix("*") ? pattern.dropLast() : pattern[...]).lowercased()
    }
}
