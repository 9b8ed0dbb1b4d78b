/// A GOAWAY that a fault sends (RFC 9113 section 6.8).
///
/// For a shutdown in two steps: a GOAWAY with ``LastStream/highest``, a wait, and one with ``LastStream/newest``. A later
/// one must not name a higher stream: it is then not sent.
public struct FaultGoAway: Sendable, Hashable {
    /// Up to which stream requests are processed.
    public enum LastStream: Sendable, Hashable {
        /// The newest that has arrived.
        case newest
        /// That of the request that the fault acts on. Requests only.
        case this
        /// The one before the request that the fault acts on, which is so declared unprocessed. Requests only.
        case below
        /// None at all.
        case none
        /// The highest that there can be: the first step of a shutdown in two.
        case highest
        /// One with this id: odd, or 0.
        case stream(Int32)
    }

    /// Up to which stream requests are processed.
    public var lastStream: LastStream
    /// The error code.
    public var code: HTTP2Code
    /// The text behind it, at Apple's JSON with a reason; at most 4096 bytes.
    public var text: String

    /// Takes the parts of a GOAWAY.
    ///
    /// - Parameters:
    ///   - lastStream: Up to which stream requests are processed.
    ///   - code: The error code.
    ///   - text: The text behind it.
    public init(lastStream: LastStream = .newest, code: HTTP2Code = .noError, text: String = "") {
        self.lastStream = lastStream
        self.code = code
        self.text = text
    }

    /// The id on the wire; `nil` stands for the newest that the session has seen.
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
