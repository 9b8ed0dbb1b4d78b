/// Something that the mock does to a client instead of behaving well, as plain data.
///
///     try mock.inject(
///         Fault(when: FaultMatcher(topic: "com.example.app"), steps: [.answer(status: 503)], times: 2))
///
/// At its ``moment``, where its matcher fits, its steps are done one after the other. Then the mock goes on as usual,
/// unless a step has taken the place of that. Of several faults that fit, the one that was injected first acts.
public struct Fault: Sendable, Hashable {
    /// What it is called, in the log and in records. Any text up to 200 characters.
    public var name: String
    /// Where the mock is interrupted.
    public var moment: FaultMoment
    /// To what it applies; to everything by default.
    public var when: FaultMatcher
    /// What is done, in this order. At most 100 steps.
    public var steps: [FaultStep]
    /// How often it acts at the most, from 1; `nil` for always.
    public var times: Int?

    /// Puts a fault together; nothing is checked before it is injected.
    ///
    /// - Parameters:
    ///   - name: What it is called.
    ///   - moment: Where the mock is interrupted.
    ///   - when: To what it applies.
    ///   - steps: What is done.
    ///   - times: How often at the most; `nil` for always.
    public init(
        name: String = "",
        at moment: FaultMoment = .request,
        when: FaultMatcher = FaultMatcher(),
        steps: [FaultStep],
        times: Int? = nil
    ) {
        self.name = name
        self.moment = moment
        self.when = when
        self.steps = steps
        self.times = times
    }
}

/// Where a fault interrupts the mock.
public enum FaultMoment: String, Sendable, Hashable, CaseIterable {
    /// A request has arrived whole; the mock would judge and answer it.
    case request = "request"
    /// The headers of a request have arrived, and its body has not; the mock would wait for that. A request without a body
    /// has no such moment.
    case requestHeaders = "request_headers"
    /// TCP has connected; the mock would begin TLS.
    case connectionAccepted = "connection_accepted"
    /// The TLS handshake is complete; the mock would announce its SETTINGS.
    case connectionEstablished = "connection_established"
}

/// The number of an injected fault, from 1 for each mock.
public struct FaultID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The number, from 1.
    public let number: Int

    /// The number in digits.
    public var description: String { "\(number)" }

    /// Orders by the time of injection.
    public static func < (left: FaultID, right: FaultID) -> Bool { left.number < right.number }
}

/// Which fault it was.
public struct FaultMark: Hashable, Sendable {
    /// Its number.
    public let id: FaultID
    /// Its name.
    public let name: String
}

/// How often a fault has acted.
public struct FaultCount: Hashable, Sendable {
    /// Its number.
    public let id: FaultID
    /// Its name.
    public let name: String
    /// How often it has acted.
    public internal(set) var applied: Int
    /// It may act again; `false` when it was removed or its ``Fault/times`` are over.
    public internal(set) var isActive: Bool
}
