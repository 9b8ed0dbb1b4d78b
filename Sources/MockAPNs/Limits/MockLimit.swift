/// One of ``MockLimits`` by its name, as the command line and the log know it.
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

    /// What it is measured in, and where it stands.
    package enum Place {
        case count(any WritableKeyPath<MockLimits, Int?> & Sendable)
        case time(any WritableKeyPath<MockLimits, Duration?> & Sendable)
    }

    package var place: Place {
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
        }
    }

    /// Without it requests could take any amount of memory.
    var boundsSize: Bool {
        switch self {
        case .headerBytes, .continuations, .requestBytes, .unfinishedBytes, .waitingAnswers: true
        case .connections, .handshakeTime, .requestTime, .unreadTime, .resetsAtOnce, .resetsPerSecond,
            .idleFramesAtOnce, .idleFramesPerSecond:
            false
        }
    }

    package func lift(in limits: inout MockLimits) {
        switch place {
        case .count(let path): limits[keyPath: path] = nil
        case .time(let path): limits[keyPath: path] = nil
        }
    }

    /// Its value, for people.
    package func words(in limits: MockLimits) -> String {
        switch place {
        case .count(let path): limits[keyPath: path].map { "\($0)" } ?? "none"
        case .time(let path): limits[keyPath: path].map(Self.words(for:)) ?? "none"
        }
    }
}

extension MockLimit {
    /// As it is written on the command line.
    private static func words(for time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        guard attoseconds != 0 else { return "\(seconds)s" }
        return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms"
    }
}

/// A client has gone too far.
struct LimitReached: Error, Hashable, CustomStringConvertible {
    let limit: MockLimit
    /// What it did, which limit that is, and how to raise it: sentences, the first one without its subject.
    let description: String

    init(_ limit: MockLimit, in limits: MockLimits) {
        self.limit = limit
        let value = limit.words(in: limits)
        let lift =
            limit.boundsSize
            ? "lift it with --limit \(limit.rawValue)=none" : "lift all for a load test with --limit none"
        description = """
            \(limit.deed). The limit "\(limit.rawValue)" of this mock is \(value): raise it with \
            --limit \(limit.rawValue)=VALUE, or \(lift).
            """
    }
}

extension MockLimit {
    /// What a client does that goes beyond it.
    fileprivate var deed: String {
        switch self {
        case .connections: "there are too many connections at a time"
        case .handshakeTime: "the TLS handshake, or the preface and SETTINGS of HTTP/2 after it, took too long"
        case .requestTime: "a request was begun and did not come to its end"
        case .unreadTime: "the client does not read its answers"
        case .headerBytes: "a request has too many header fields"
        case .continuations: "too many CONTINUATION frames follow one HEADERS"
        case .requestBytes: "the body of a request is too long"
        case .unfinishedBytes:
            "requests that are not whole take too much memory, and most of them are of this connection"
        case .resetsAtOnce, .resetsPerSecond: "too many streams were reset in too short a time"
        case .idleFramesAtOnce, .idleFramesPerSecond:
            "too many frames without a use (PING, SETTINGS, PRIORITY, empty DATA) came in too short a time"
        case .waitingAnswers: "too many PINGs or SETTINGS came in one go"
        }
    }
}
