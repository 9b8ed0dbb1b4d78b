/// What a client may do to a mock before it is stopped, so that no client can use up the machine.
///
/// A client that goes too far loses its connection, and hears why by a GOAWAY with ENHANCE_YOUR_CALM; the log says which
/// limit it was. The defaults let through what senders do and what most load tests do; `nil` means no limit.
public struct MockLimits: Sendable, Hashable {
    /// How many connections may be open at a time; one more is closed at once. An idle one takes about 100 KiB.
    public var connections: Int? = 5000
    /// How long a client may take from TCP to the end of its preface and SETTINGS: an honest one needs some round trips.
    public var handshakeTime: Duration? = .seconds(30)
    /// How long a request may take from its first header field to its end. Looked at from time to time: it can be
    /// noticed at twice the time.
    public var requestTime: Duration? = .seconds(60)
    /// How long a client may leave answers unread, on its socket or by a closed window. The mock holds a bounded part of
    /// them meanwhile, and reads nothing more from such a client. Looked at like ``requestTime``.
    public var unreadTime: Duration? = .seconds(60)
    /// How much a request may have in header fields, in bytes: names, values and 32 for each field, as RFC 9113 section
    /// 6.5.2 counts. A longer one is reset, and counts among the resets. Apple's servers announce 8000.
    public var headerBytes: Int? = 16 * 1024
    /// How many CONTINUATION frames may follow one HEADERS: 16 KiB of header fields fit into one.
    public var continuations: Int? = 8
    /// How long the body of a request may be, in bytes. Apple takes 4096, or 5120, and says so for whatever is longer;
    /// this is where the mock stops to listen. What it keeps of a body is ``MockConfiguration/bodyBytes``.
    public var requestBytes: Int? = 16 << 20
    /// How many bytes the mock keeps of requests that are not whole, over all its connections. When there are more, the
    /// connection that has the most of them is ended. ``MockConfiguration/bodyBytes`` bounds what one request adds.
    public var unfinishedBytes: Int? = 64 << 20
    /// How many streams a client may reset at once. Those that the mock has to reset, because their frames are not legal,
    /// count as well. It is what a sender resets when all of 10 connections' streams reach their deadline on one.
    public var resetsAtOnce: Int? = 10_000
    /// How many resets are allowed again each second: opening and resetting streams costs a client nothing (CVE-2023-44487).
    public var resetsPerSecond: Int? = 1000
    /// How many frames without a use may come at once: PING, SETTINGS, PRIORITY, and DATA that carries nothing.
    public var idleFramesAtOnce: Int? = 10_000
    /// How many frames without a use are allowed again each second: a sender needs a few in a minute (CVE-2019-9512,
    /// CVE-2019-9513, CVE-2019-9515, CVE-2019-9518).
    public var idleFramesPerSecond: Int? = 1000
    /// How many answers to PING and SETTINGS may wait to be sent, because so many come in one go.
    public var waitingAnswers: Int? = 1000

    /// The defaults.
    public init() {}

    /// For load tests: no bound on connections, on times, and on how often something happens. What bounds the size of a
    /// request stays.
    public static var lifted: MockLimits {
        var limits = MockLimits()
        for limit in MockLimit.allCases where !limit.boundsSize { limit.lift(in: &limits) }
        return limits
    }
}
