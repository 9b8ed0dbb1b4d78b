package import PushJSON

/// A problem, or a probable mistake, in a notification.
public struct PushFinding: Sendable, Hashable, CustomStringConvertible {
    /// How serious a finding is.
    public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Apple or the device refuses the notification, drops it, or does not understand it.
        case error
        /// Apple accepts the notification, but the result may not be the intended one.
        case warning
        /// The value may be intended.
        case note

        /// Compares severities: a note is less than a warning, and a warning is less than an error.
        ///
        /// - Parameters:
        ///   - left: A severity.
        ///   - right: Another severity.
        /// - Returns: Whether the first is less serious.
        public static func < (left: Severity, right: Severity) -> Bool { left.weight < right.weight }

        private var weight: Int {
            switch self {
            case .note: 0
            case .warning: 1
            case .error: 2
            }
        }
    }

    /// A range of bytes in a payload, with its line and its column.
    package struct Location: Sendable, Hashable {
        /// The offsets of the bytes, from 0; empty where something is missing.
        package let bytes: Range<Int>
        /// The line of the first byte, from 1.
        package let line: Int
        /// The column of the first byte, from 1, in bytes.
        package let column: Int

        package init(_ bytes: Range<Int>, in text: [UInt8]) {
            self.init(bytes, TextPosition(of: bytes.lowerBound, in: text))
        }

        init(_ bytes: Range<Int>, _ position: TextPosition) {
            (self.bytes, line, column) = (bytes, position.line, position.column)
        }
    }

    /// How serious it is.
    public let severity: Severity
    /// The id of the rule that is broken, for example `background-visible`.
    public let rule: String
    /// The header, for example `apns-topic`, or the path in the payload, for example `payload.aps.badge`.
    public let subject: String
    /// The place in the payload; `nil` for a finding about a header.
    package let location: Location?
    /// What is wrong, in a sentence.
    public let problem: String
    /// What to do, in a sentence.
    public let advice: String
    /// The edits that correct it; empty if no certain correction exists.
    package let edits: [JSONEdit]

    package init(
        severity: Severity, rule: String, subject: String, location: Location? = nil, problem: String, advice: String,
        edits: [JSONEdit] = []
    ) {
        self.severity = severity
        self.rule = rule
        self.subject = subject
        self.location = location
        self.problem = problem
        self.advice = advice
        self.edits = edits
    }

    /// The range of bytes in the payload, from 0; empty where something is missing. `nil` for a finding about a header.
    public var bytes: Range<Int>? { location?.bytes }

    /// Whether PushLint can correct it by itself.
    public var isRepairable: Bool { !edits.isEmpty }

    /// The line and column in the payload, if known, the problem and the advice.
    public var description: String {
        let position = location.map { "Line \($0.line), column \($0.column) of the payload: " } ?? ""
        return "\(position)\(problem) \(advice)"
    }
}
