package import PushJSON

/// A misbehaviour of the mock, as plain data.
///
///     try mock.inject(
///         MockFault(when: MockFault.Matcher(topic: "com.example.app"), steps: [.answer(status: 503)], times: 2))
///
/// At its ``moment``, if its matcher matches, the mock executes the steps one after the other. Then it continues as
/// usual, unless a step replaced the usual behaviour. If several faults match, the one that was injected first acts.
public struct MockFault: Sendable, Hashable {
    /// The name of the fault in the log and in records. Any text of up to 200 characters.
    public var name: String
    /// When the fault acts.
    public var moment: MockFault.Moment
    /// The conditions of the fault. By default, it always acts.
    public var when: MockFault.Matcher
    /// The steps, in order. At most 100.
    public var steps: [MockFault.Step]
    /// The maximum number of times that the fault acts, at least 1; `nil` for no limit.
    public var times: Int?

    /// Creates a fault. It is checked when it is injected.
    ///
    /// - Parameters:
    ///   - name: The name of the fault.
    ///   - moment: When the fault acts.
    ///   - when: The conditions of the fault.
    ///   - steps: The steps, in order.
    ///   - times: The maximum number of times that the fault acts; `nil` for no limit.
    public init(
        name: String = "",
        at moment: MockFault.Moment = .request,
        when: MockFault.Matcher = MockFault.Matcher(),
        steps: [MockFault.Step],
        times: Int? = nil
    ) {
        self.name = name
        self.moment = moment
        self.when = when
        self.steps = steps
        self.times = times
    }
}

extension MockFault {
    /// When a fault acts.
    public enum Moment: String, Sendable, Hashable, CaseIterable {
        /// When a complete request has arrived, before the mock checks and answers it.
        case request = "request"
        /// When the headers of a request have arrived, but not its body. Never for a request without a body.
        case requestHeaders = "request_headers"
        /// When the TCP connection is established, before the TLS handshake.
        case connectionAccepted = "connection_accepted"
        /// When the TLS handshake is complete, before the mock sends its SETTINGS.
        case connectionEstablished = "connection_established"
    }

    /// The number of an injected fault. Each mock counts from 1.
    public struct ID: Hashable, Sendable, Comparable, CustomStringConvertible {
        /// The number, from 1.
        public let number: Int

        package init(number: Int) {
            self.number = number
        }

        /// The number as text.
        public var description: String { "\(number)" }

        /// Whether the left fault was injected before the right one.
        public static func < (left: MockFault.ID, right: MockFault.ID) -> Bool { left.number < right.number }
    }

    /// The fault that acted.
    public struct Mark: Hashable, Sendable {
        /// The number of the fault.
        public let id: MockFault.ID
        /// The name of the fault.
        public let name: String
    }

    package struct Count: Hashable, Sendable {
        package let id: MockFault.ID
        package let name: String
        package internal(set) var applied: Int
        /// Whether the fault can act again. `false` if it was removed or has reached its ``MockFault/times``.
        package internal(set) var isActive: Bool
    }
}

/// Why a fault is invalid.
public struct MockFaultError: Error, Hashable, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        let name: String
        package static let malformed = Code(name: "malformed")
        package static let unknownKey = Code(name: "unknownKey")
        /// A value is too large, too small or not allowed.
        package static let outOfRange = Code(name: "outOfRange")
        /// A step or a condition is not possible at this moment.
        package static let impossibleHere = Code(name: "impossibleHere")
        package static let tooMany = Code(name: "tooMany")
    }

    package let code: Code
    /// What is wrong and how to correct it, in one or two sentences.
    public let description: String
    /// The names of the members and the indexes of the elements on the path to the mistake; empty for the whole.
    package internal(set) var path: [String] = []
    /// Where it is in the text; `nil` without a text.
    package internal(set) var location: TextPosition?

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
