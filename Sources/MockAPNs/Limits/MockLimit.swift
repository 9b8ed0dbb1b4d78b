/// One of the ``MockLimits``. A case has the name of its property; the raw value is the name in the log and in settings.
package enum MockLimit: String, CaseIterable, Sendable {
    case connections
    case handshakeTime = "handshake-time"
    case requestTime = "request-time"
    case unreadTime = "unread-time"
    case headerBytes = "header-bytes"
    case continuations
    case requestBytes = "request-bytes"
    case unfinishedBytes = "unfinished-bytes"
    case resetsAtOnce = "resets-at-once"
    case resetsPerSecond = "resets-per-second"
    case idleFramesAtOnce = "idle-frames-at-once"
    case idleFramesPerSecond = "idle-frames-per-second"
    case waitingAnswers = "waiting-answers"
    case answerBytes = "answer-bytes"

    /// The unit of a limit, and its property.
    package enum Storage {
        case count(any WritableKeyPath<MockLimits, Int?> & Sendable)
        case time(any WritableKeyPath<MockLimits, Duration?> & Sendable)
    }

    package var storage: Storage {
        switch self {
        case .connections: .count(\.connections)
        case .handshakeTime: .time(\.handshakeTime)
        case .requestTime: .time(\.requestTime)
        case .unreadTime: .time(\.unreadTime)
        case .headerBytes: .count(\.headerBytes)
        case .continuations: .count(\.continuations)
        case .requestBytes: .count(\.requestBytes)
        case .unfinishedBytes: .count(\.unfinishedBytes)
        case .resetsAtOnce: .count(\.resetsAtOnce)
        case .resetsPerSecond: .count(\.resetsPerSecond)
        case .idleFramesAtOnce: .count(\.idleFramesAtOnce)
        case .idleFramesPerSecond: .count(\.idleFramesPerSecond)
        case .waitingAnswers: .count(\.waitingAnswers)
        case .answerBytes: .count(\.answerBytes)
        }
    }

    /// Whether the limit bounds the memory that requests need.
    package var boundsSize: Bool {
        switch self {
        case .headerBytes, .continuations, .requestBytes, .unfinishedBytes, .waitingAnswers, .answerBytes: true
        case .connections, .handshakeTime, .requestTime, .unreadTime, .resetsAtOnce, .resetsPerSecond,
            .idleFramesAtOnce, .idleFramesPerSecond:
            false
        }
    }

    package func lift(in limits: inout MockLimits) {
        switch storage {
        case .count(let path): limits[keyPath: path] = nil
        case .time(let path): limits[keyPath: path] = nil
        }
    }

    /// The value as text.
    package func text(in limits: MockLimits) -> String {
        switch storage {
        case .count(let path): limits[keyPath: path].map { "\($0)" } ?? "none"
        case .time(let path): limits[keyPath: path].map(Self.message(for:)) ?? "none"
        }
    }
}

extension MockLimit {
    /// A time with its unit: `30s` or `1500ms`.
    private static func message(for time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        guard attoseconds != 0 else { return "\(seconds)s" }
        return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms"
    }
}

/// A client has exceeded a limit.
struct LimitExceeded: Error, Hashable, CustomStringConvertible {
    let limit: MockLimit
    /// What the client did, and the limit. The first sentence begins in lower case.
    let description: String

    init(_ limit: MockLimit, in limits: MockLimits) {
        self.limit = limit
        description = "\(limit.excess). The limit \"\(limit.rawValue)\" of this mock is \(limit.text(in: limits))."
    }
}

extension MockLimit {
    /// What a client did to exceed the limit.
    fileprivate var excess: String {
        switch self {
        case .connections: "too many connections are open"
        case .handshakeTime: "the TLS handshake, or the HTTP/2 preface and SETTINGS after it, took too long"
        case .requestTime: "a request took too long to complete"
        case .unreadTime: "the client doesn't read its answers"
        case .headerBytes: "a request has too many header fields"
        case .continuations: "too many CONTINUATION frames follow a HEADERS frame"
        case .requestBytes: "the body of a request is too long"
        case .unfinishedBytes:
            "incomplete requests need too much memory, and this connection has the most of them"
        case .resetsAtOnce, .resetsPerSecond: "too many streams were reset in a short time"
        case .idleFramesAtOnce, .idleFramesPerSecond:
            "too many idle frames (PING, SETTINGS, PRIORITY, empty DATA) were received in a short time"
        case .waitingAnswers: "too many PING or SETTINGS frames were received at once"
        case .answerBytes: "too many bytes of answers wait for the client to read them"
        }
    }
}
