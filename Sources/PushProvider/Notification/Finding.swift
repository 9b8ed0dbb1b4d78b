package import PushJSON

/// Something about a notification that is wrong, or probably not meant.
public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// Whether the notification can be sent all the same.
    public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Apple or the device would refuse it, drop it, or not understand it.
        case error
        /// Apple would take it; something else may happen than was meant.
        case warning
        /// It may well be meant.
        case note

        /// A note is the least.
        public static func < (left: Severity, right: Severity) -> Bool { left.weight < right.weight }

        private var weight: Int {
            switch self {
            case .note: 0
            case .warning: 1
            case .error: 2
            }
        }
    }

    /// A place in the bytes of a payload.
    public struct Location: Sendable, Hashable {
        /// Counted from the first byte; empty for a place where something is missing.
        public let bytes: Range<Int>
        /// Of the first byte, from 1.
        public let line: Int
        /// Of the first byte, from 1, in bytes.
        public let column: Int

        package init(_ bytes: Range<Int>, in text: [UInt8]) {
            self.init(bytes, TextPlace(of: bytes.lowerBound, in: text))
        }

        init(_ bytes: Range<Int>, _ place: TextPlace) {
            (self.bytes, line, column) = (bytes, place.line, place.column)
        }
    }

    /// How bad it is.
    public let severity: Severity
    /// The id of the rule that is broken, for example `background-visible`.
    public let rule: String
    /// Where: a header's name, for example `apns-topic`, or a path that begins with `payload`, for example
    /// `payload.aps.badge`.
    public let place: String
    /// Where in the payload's bytes; `nil` for what concerns a header.
    public let location: Location?
    /// What is wrong, in a sentence.
    public let problem: String
    /// What to do, in a sentence.
    public let advice: String
    /// What mends it, where that is certain.
    package let edits: [JSONEdit]

    package init(
        severity: Severity, rule: String, place: String, location: Location? = nil, problem: String, advice: String,
        edits: [JSONEdit] = []
    ) {
        self.severity = severity
        self.rule = rule
        self.place = place
        self.location = location
        self.problem = problem
        self.advice = advice
        self.edits = edits
    }

    /// Whether PushLint can correct it by itself.
    public var isRepairable: Bool { !edits.isEmpty }

    /// The place in the payload's bytes, where there is one, problem and advice.
    public var description: String {
        let place = location.map { "Line \($0.line), column \($0.column) of the payload: " } ?? ""
        return "\(place)\(problem) \(advice)"
    }
}
