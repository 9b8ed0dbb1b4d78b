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
