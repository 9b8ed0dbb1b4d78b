import APNSVocabulary
import PushPlatform

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
