import MockAPNs
import PushHTTP
import PushJSON
import PushPlatform
import PushTime

/// Reads the members of a JSON or YAML object of a request.
typealias FormReader = ObjectReader<APIProblem>

extension FormReader {
    /// A time, in RFC 3339.
    func time(_ name: String) throws(APIProblem) -> Date? {
        guard let value = value(name) else { return nil }
        guard let time = value.plainText.flatMap({ Date(text: $0) }) else {
            throw problem(
                name, "\(name.debugDescription) must be a time.",
                remedy: "Write it like 2026-11-24T10:00:00Z, or in seconds since 1970. The year is at most 9999.")
        }
        return time
    }
}

extension Duration {
    /// A number with its unit, in seconds or, if that is not exact, in milliseconds.
    var consoleText: String {
        let (seconds, attoseconds) = components
        guard attoseconds != 0 else { return "\(seconds)s" }
        return "\(Int64((self / .milliseconds(1)).rounded()))ms"
    }
}
