internal import APNSVocabulary
import PushPlatform

/// A search over the requests in the mock's log, written in a small language.
///
/// A search is a list of terms; a request must match all of them. A term is `key:value`, or a word that must occur in the
/// payload. Quotes keep blanks together: `title:"New message"`. A minus sign before a term negates it. An empty search
/// matches everything.
///
/// ```text
/// topic:com.example.app title:Hello -status:4xx
/// ```
public struct MockArrivalSearch: Sendable, Hashable, CustomStringConvertible {
    package enum Key: String, Sendable, Hashable, CaseIterable {
        /// The device token begins with the value.
        case token
        /// The `apns-topic`, or the bundle id of a broadcast or a channel.
        case topic
        case type
        case priority
        case collapse
        /// The `apns-id`, or the `apns-request-id`, of the answer.
        case id
        /// The channel of a broadcast, or of a request about a channel.
        case channel
        /// `thread-id` in the payload.
        case thread
        /// `category` in the payload.
        case category
        /// The title contains the value.
        case title
        /// The body of the alert contains the value.
        case body
        /// The payload contains the value.
        case payload
        /// The status of the answer: `200`, or a class: `4xx`.
        case status
        case reason
        /// What APNs would do with an accepted push: delivered, stored or discarded.
        case delivery
        /// The key id of the provider token.
        case kid
        /// The team id of the provider token.
        case team
        /// The common name of the client certificate.
        case certificate
        /// The number of the connection.
        case conn
        /// The name or the number of the fault that acted.
        case fault
        /// The id of a rule that the client broke.
        case violation
        /// The request was checked before this time: RFC 3339, or seconds since 1970.
        case before
        /// The request was checked after this time: RFC 3339, or seconds since 1970.
        case after
        /// Its outcome on a phone: `shown`, `quiet`, `hidden` and so on.
        case outcome
        case phone
        /// The name of the file that is attached to it on the phone.
        case attachment
        /// The thread of the notification on the phone, or its topic without one.
        case group

        fileprivate static let ofPhones: Set<Key> = [.outcome, .phone, .attachment, .group]

        /// Keys of headers and payloads can be given as Apple writes them.
        fileprivate static let aliases: [String: Key] = [
            "apns-topic": .topic, "bundle": .topic, "push-type": .type, "apns-push-type": .type,
            "apns-priority": .priority, "collapse-id": .collapse, "apns-collapse-id": .collapse, "apns-id": .id,
            "thread-id": .thread, "key": .kid, "key-id": .kid, "team-id": .team, "cert": .certificate,
            "connection": .conn, "device": .token, "device-token": .token, "text": .payload, "since": .after,
            "until": .before,
        ]
    }

    package struct Term: Sendable, Hashable {
        /// What is compared; `nil` for a word of the payload.
        package var key: Key?
        package var value: String
        package var isNegated = false

        package var text: String {
            let quoted =
                value.isEmpty || value.contains { $0 == " " || $0 == "\"" || $0 == "\\" || $0.isNewline }
                ? "\"\(value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" : value
            return (isNegated ? "-" : "") + (key.map { "\($0.rawValue):" } ?? "") + quoted
        }
    }

    /// The conditions. All must be true.
    package let terms: [Term]

    /// Parses a search.
    ///
    /// - Parameter text: The terms, separated by blanks. Empty: everything matches.
    /// - Throws: ``MockArrivalSearchError``. It names the position and the remedy.
    public init(_ text: String) throws(MockArrivalSearchError) {
        var parser = SearchParser(text)
        terms = try parser.terms()
    }

    /// The search, as it could be written again.
    public var description: String { terms.map(\.text).joined(separator: " ") }

    package func mentions(_ keys: Key...) -> Bool { terms.contains { $0.key.map(keys.contains) ?? false } }

    /// Whether it depends on the outcome of a request on a phone.
    package var concernsPhones: Bool { terms.contains { $0.key.map(Key.ofPhones.contains) ?? false } }

    /// Whether a request matches. Its outcome on a phone is not known here, so terms about the outcome are false.
    public func matches(_ arrival: MockArrival) -> Bool { matches(arrival, seenBy: nil) }

    /// Whether a request matches.
    ///
    /// - Parameters:
    ///   - arrival: The request.
    ///   - observer: Knows its outcome on a phone.
    /// - Returns: Whether all terms are true of it.
    package func matches(_ arrival: MockArrival, seenBy observer: (any ArrivalObserver)?) -> Bool {
        guard !terms.isEmpty else { return true }
        var subject = SearchSubject(arrival, phoneResult: phoneResult(of: arrival, observer))
        return terms.allSatisfy { subject.satisfies($0) }
    }

    private func phoneResult(of arrival: MockArrival, _ observer: (any ArrivalObserver)?) -> PhoneResult? {
        concernsPhones ? observer?.phoneResult(of: arrival.number) : nil
    }

    /// The terms that a request does not match, with what it has instead.
    package func differences(
        from arrival: MockArrival, seenBy observer: (any ArrivalObserver)? = nil
    ) -> [(term: Term, found: String)] {
        var subject = SearchSubject(arrival, phoneResult: phoneResult(of: arrival, observer))
        return terms.compactMap { term in
            subject.satisfies(term) ? nil : (term, subject.values(of: term.key).joined(separator: ", "))
        }
    }
}

/// Why a search cannot be used.
public struct MockArrivalSearchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and how to write it, in sentences.
    public let description: String
    /// The position of the mistake in the search, in characters, from 1.
    public let column: Int
}

// MARK: Parsing

private struct SearchParser {
    private let characters: [Character]
    private var position = 0

    init(_ text: String) {
        characters = Array(text)
    }

    mutating func terms() throws(MockArrivalSearchError) -> [MockArrivalSearch.Term] {
        var terms: [MockArrivalSearch.Term] = []
        while true {
            while position < characters.count, characters[position].isWhitespace { position += 1 }
            guard position < characters.count else { return terms }
            terms.append(try term())
        }
    }

    private mutating func term() throws(MockArrivalSearchError) -> MockArrivalSearch.Term {
        let start = position
        var isNegated = false
        if characters[position] == "-" || characters[position] == "!" {
            isNegated = true
            position += 1
            guard position < characters.count, !characters[position].isWhitespace else {
                throw error("A term is missing after \"\(characters[start])\".", at: start)
            }
        }
        guard let name = takeKey() else {
            return MockArrivalSearch.Term(key: nil, value: try value(), isNegated: isNegated)
        }
        guard
            let key = MockArrivalSearch.Key(rawValue: name.lowercased())
                ?? MockArrivalSearch.Key.aliases[name.lowercased()]
        else {
            let (problem, remedy) = NearestName.unknownKey(name, among: MockArrivalSearch.Key.allCases.map(\.rawValue))
            throw error("\(problem) \(remedy) To search the payload for this text, put it in quotes.", at: start)
        }
        let valueStart = position
        let value = try value()
        if let problem = problem(of: value, for: key) { throw error(problem, at: valueStart) }
        return MockArrivalSearch.Term(key: key, value: value, isNegated: isNegated)
    }

    /// Takes a key and its colon. Takes nothing if no key follows.
    private mutating func takeKey() -> String? {
        var end = position
        while end < characters.count, characters[end].isLetter || characters[end] == "-" || characters[end] == "_" {
            end += 1
        }
        guard end > position, end < characters.count, characters[end] == ":" else { return nil }
        defer { position = end + 1 }
        return String(characters[position..<end]).replacing("_", with: "-")
    }

    private mutating func value() throws(MockArrivalSearchError) -> String {
        guard position < characters.count, characters[position] == "\"" else {
            let start = position
            while position < characters.count, !characters[position].isWhitespace { position += 1 }
            return String(characters[start..<position])
        }
        let start = position
        position += 1
        var value = ""
        while position < characters.count {
            let character = characters[position]
            position += 1
            if character == "\"" { return value }
            if character == "\\", position < characters.count {
                value.append(characters[position])
                position += 1
            } else {
                value.append(character)
            }
        }
        throw error("The closing quote is missing.", at: start)
    }

    private func problem(of value: String, for key: MockArrivalSearch.Key) -> String? {
        if value.isEmpty { return "A value is missing after \"\(key.rawValue):\"." }
        switch key {
        case .status:
            let isClass = value.count == 3 && value.hasSuffix("xx") && ("1"..."5").contains(value.prefix(1))
            let isStatus = Int(value).map { $0 == 0 || (100..<600).contains($0) } ?? false
            return isClass || isStatus || value == "any"
                ? nil : "\(Finding.quote(value)) isn't a status: give a number like 200, a class like 4xx, or any."
        case .outcome where !value.hasSuffix("*") && !PhoneResult.outcomes.contains(value.lowercased()):
            return
                "\(Finding.quote(value)) isn't an outcome: give one of \(PhoneResult.outcomes.joined(separator: ", "))."
        case .delivery:
            return MockDelivery(rawValue: value.lowercased()) == nil
                ? "\(Finding.quote(value)) isn't possible here: give delivered, stored or discarded." : nil
        case .conn:
            return Int(value) == nil ? "\(Finding.quote(value)) isn't the number of a connection." : nil
        case .before, .after:
            return Date(text: value) == nil
                ? "\(Finding.quote(value)) isn't a time: write it like 2026-11-24T10:00:00Z, or in seconds since 1970."
                : nil
        default: return nil
        }
    }

    private func error(_ message: String, at index: Int) -> MockArrivalSearchError {
        MockArrivalSearchError(description: message, column: index + 1)
    }
}
