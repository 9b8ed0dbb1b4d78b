import APNSVocabulary
package import HTTPTypes
package import Hummingbird
import PushPlatform
import PushTime

package protocol WebRequest: Sendable {
    /// What a route says about those who may use it.
    associatedtype Scope: Sendable

    var source: Request { get }
    /// The variable parts of the path, by name.
    var parameters: [String: String] { get }
    /// The parameters of the query. Each name occurs at most once.
    var query: [String: String] { get }
}

extension WebRequest {
    package var headers: HTTPFields { source.headers }

    package func number(_ name: String, in range: ClosedRange<Int>) throws(APIProblem) -> Int? {
        guard let text = query[name] else { return nil }
        guard let number = WholeNumber.of(text), range.contains(number) else {
            throw .invalid(
                "\(name) must be a number from \(range.lowerBound) to \(range.upperBound).", field: name)
        }
        return number
    }

    package func pageLength() throws(APIProblem) -> Int {
        try number("limit", in: 1...PageLength.greatest) ?? PageLength.normal
    }

    package func bool(_ name: String) throws(APIProblem) -> Bool? {
        switch query[name] {
        case nil: return nil
        case "true": return true
        case "false": return false
        default: throw .invalid("\(name) must be true or false.", field: name)
        }
    }

    /// One of several words in the query.
    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type, remedy: String? = nil
    ) throws(APIProblem) -> Choice? where Choice.RawValue == String {
        guard let text = query[name] else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: " or ")
            throw .invalid("\(name) must be \(words).", field: name, remedy: remedy)
        }
        return choice
    }

    /// A duration in the query, in whole units.
    package func duration(_ name: String, atMost maximum: Duration) throws(APIProblem) -> Duration? {
        guard let text = query[name] else { return nil }
        guard let duration = Duration(unitText: text, isWhole: true), duration <= maximum else {
            throw .invalid(
                "\(name) must be a duration of at most \(maximum.components.seconds)s.", field: name,
                remedy: "Write a number and its unit: 10s.")
        }
        return duration
    }
}

package enum PageLength {
    /// Without the parameter `limit`.
    package static let normal = 100
    /// The largest `limit`. A larger one is refused.
    package static let greatest = 1000
}

/// The order of a list, in the query parameter `order`.
package enum ListOrder: String, CaseIterable {
    case oldest, newest
}

/// Reads the parameters of a query. Unknown and repeated ones are refused by name.
package enum QueryReader {
    /// Returns the parameters by name. The cursor of a list, `after`, may be left empty for the first page if it isn't a number.
    package static func read(
        _ text: String, known: [String], cursorMayBeEmpty: Bool = false
    ) throws(APIProblem) -> [String: String] {
        var query: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.text(parts[0], plusIsBlank: true),
                let value = PercentEncoding.text(parts.count == 2 ? parts[1] : "", plusIsBlank: true)
            else { throw .invalid("The query isn't URL-encoded text.", code: "invalid_query") }
            guard known.contains(name) else {
                let shown = String(name.prefix(100))
                throw .invalid(
                    "Unknown query parameter \(shown.debugDescription).", code: "unknown_parameter", field: shown,
                    remedy: NearestName.remedy(name, among: known))
            }
            // The cursor before the first page is nothing.
            if cursorMayBeEmpty, name == "after", value.isEmpty { continue }
            guard query.updateValue(value, forKey: name) == nil else {
                throw .invalid(
                    "The query parameter \(name) occurs twice.", code: "repeated_parameter", field: name)
            }
        }
        return query
    }
}
