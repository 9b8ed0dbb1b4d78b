/// A GOAWAY that a fault sends (RFC 9113 section 6.8).
///
/// For a graceful shutdown in two steps, use a GOAWAY with ``LastStream/highest``, a wait, and a GOAWAY with
/// ``LastStream/newest``. If a later GOAWAY names a higher stream than an earlier one, it is not sent.
public struct MockFaultGoAway: Sendable, Hashable {
    /// The last stream that the server processes.
    public enum LastStream: Sendable, Hashable {
        /// The newest stream of the client.
        case newest
        /// The stream of the request. Only at moments with a request.
        case this
        /// The stream before the one of the request, which is thus declared unprocessed. Only at moments with a
        /// request.
        case below
        /// No stream.
        case none
        /// The highest possible stream, for the first step of a graceful shutdown.
        case highest
        /// The stream with this id: an odd number or 0.
        case stream(Int32)
    }

    /// The last stream that the server processes.
    public var lastStream: LastStream
    /// The error code.
    public var code: MockHTTP2Code
    /// The debug data, at most 4096 bytes. Apple sends JSON with a reason.
    public var text: String

    /// Creates a GOAWAY.
    ///
    /// - Parameters:
    ///   - lastStream: The last stream that the server processes.
    ///   - code: The error code.
    ///   - text: The debug data.
    public init(lastStream: LastStream = .newest, code: MockHTTP2Code = .noError, text: String = "") {
        self.lastStream = lastStream
        self.code = code
        self.text = text
    }

    /// Returns the stream id to send; `nil` for the newest stream of the session.
    func lastStreamID(on streamID: Int32) -> Int32? {
        switch lastStream {
        case .newest: nil
        case .this: streamID
        case .below: max(0, streamID - 2)
        case .none: 0
        case .highest: .max
        case .stream(let id): id
        }
    }
}
