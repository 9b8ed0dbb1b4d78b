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

    package var storage: Storage { facts.storage }

    /// Whether the limit bounds the memory that requests need.
    package var boundsSize: Bool { facts.boundsSize }

    /// All that is known of a limit. The excess is what a client did to exceed it.
    fileprivate var facts: (storage: Storage, boundsSize: Bool, excess: String) {
        let resets = "too many streams were reset in a short time"
        let idleFrames = "too many idle frames (PING, SETTINGS, PRIORITY, empty DATA) were received in a short time"
        return switch self {
        case .connections: (.count(\.connections), false, "too many connections are open")
        case .handshakeTime:
            (
                .time(\.handshakeTime), false,
                "the TLS handshake, or the HTTP/2 preface and SETTINGS after it, took too long"
            )
        case .requestTime: (.time(\.requestTime), false, "a request took too long to complete")
        case .unreadTime: (.time(\.unreadTime), false, "the client doesn't read its answers")
        case .headerBytes: (.count(\.headerBytes), true, "a request has too many header fields")
        case .continuations: (.count(\.continuations), true, "too many CONTINUATION frames follow a HEADERS frame")
        case .requestBytes: (.count(\.requestBytes), true, "the body of a request is too long")
        case .unfinishedBytes:
            (
                .count(\.unfinishedBytes), true,
                "incomplete requests need too much memory, and this connection has the most of them"
            )
        case .resetsAtOnce: (.count(\.resetsAtOnce), false, resets)
        case .resetsPerSecond: (.count(\.resetsPerSecond), false, resets)
        case .idleFramesAtOnce: (.count(\.idleFramesAtOnce), false, idleFrames)
        case .idleFramesPerSecond: (.count(\.idleFramesPerSecond), false, idleFrames)
        case .waitingAnswers: (.count(\.waitingAnswers), true, "too many PING or SETTINGS frames were received at once")
        case .answerBytes: (.count(\.answerBytes), true, "too many bytes of answers wait for the client to read them")
        }
    }

    package func lift(in limits: inout MockLimits) {
        switch storage {
        case .count(let path): limits[keyPath: path] = nil
        case .time(let path): limits[keyPath: path] = nil
        }
    }

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

struct LimitExceeded: Error, Hashable, CustomStringConvertible {
    let limit: MockLimit
    /// What the client did, and the limit. The first sentence begins in lower case.
    let description: String

    init(_ limit: MockLimit, in limits: MockLimits) {
        self.limit = limit
        let excess = limit.facts.excess
        description = "\(excess). The limit \"\(limit.rawValue)\" of this mock is \(limit.text(in: limits))."
    }
}

/// The limits for clients. They protect the machine of the mock from overload.
///
/// When a client exceeds a limit, the mock sends GOAWAY with ENHANCE_YOUR_CALM and the reason, and closes the connection. The log
/// names the limit. The defaults allow usual senders and most load tests; `nil` means no limit.
public struct MockLimits: Sendable, Hashable {
    /// The maximum number of open connections. Further connections are closed at once. An idle one needs about 100 KiB.
    public var connections: Int? = 5000
    /// The maximum time from the TCP connection to the client's preface and SETTINGS. A usual client needs a few round trips.
    public var handshakeTime: Duration? = .seconds(30)
    /// The maximum time from the first header field of a request to its end. The mock checks periodically: it can take up to
    /// twice this time until the limit acts.
    public var requestTime: Duration? = .seconds(60)
    /// The maximum time for which a client may leave answers unread, on its socket or by a closed window. Meanwhile the mock
    /// buffers a limited amount and reads nothing from this client. Checked periodically, like ``requestTime``.
    public var unreadTime: Duration? = .seconds(60)
    /// The maximum size of the header fields of a request, in bytes: names, values and 32 for each field, as in RFC 9113
    /// section 6.5.2. A request with more is reset, and the reset counts for ``resetsAtOnce``. Apple's servers announce 8000.
    public var headerBytes: Int? = 16 * 1024
    /// The maximum number of CONTINUATION frames after a HEADERS frame. One frame can carry 16 KiB of header fields.
    public var continuations: Int? = 8
    /// The maximum size of the body of a request, in bytes. APNs accepts payloads up to 4096 or 5120 bytes and rejects longer
    /// ones with a reason; beyond this limit, the mock stops reading. ``MockConfiguration/bodyBytes`` limits what it keeps.
    public var requestBytes: Int? = 16 << 20
    /// The maximum size of incomplete requests in memory, in bytes, over all connections. Beyond it, the connection with the
    /// most bytes is closed. ``MockConfiguration/bodyBytes`` limits the share of one request.
    public var unfinishedBytes: Int? = 64 << 20
    /// The maximum number of stream resets in a burst. Resets by the mock because of illegal frames count as well. The default
    /// is enough for a sender that resets the streams of 10 connections after a timeout, all on one connection.
    public var resetsAtOnce: Int? = 10_000
    /// The maximum number of stream resets per second after a burst. Opening and resetting streams costs a client nothing
    /// (CVE-2023-44487).
    public var resetsPerSecond: Int? = 1000
    /// The maximum number of idle frames in a burst: PING, SETTINGS, PRIORITY, and empty DATA.
    public var idleFramesAtOnce: Int? = 10_000
    /// The maximum number of idle frames per second after a burst. A sender needs a few per minute (CVE-2019-9512,
    /// CVE-2019-9513, CVE-2019-9515, CVE-2019-9518).
    public var idleFramesPerSecond: Int? = 1000
    /// The maximum number of answers to PING and SETTINGS that wait to be sent.
    public var waitingAnswers: Int? = 1000
    /// The maximum size of the answers on a connection that wait to be sent, in bytes. The list of 10 000 channels has 270 KB.
    public var answerBytes: Int? = 16 << 20

    /// The defaults.
    public init() {}

    /// Limits for load tests: no limits on connections, times and rates. The limits on the size of requests remain.
    public static var lifted: MockLimits {
        var limits = MockLimits()
        for limit in MockLimit.allCases where !limit.boundsSize { limit.lift(in: &limits) }
        return limits
    }
}
