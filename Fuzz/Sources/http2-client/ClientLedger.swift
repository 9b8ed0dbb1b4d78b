internal import FuzzSupport

@testable internal import PushWire

/// The requests that the session has accepted, and those that have ended. Each must end exactly once.
struct ClientLedger {
    struct Request {
        /// The fields that the server must read, each with name and value in one text.
        var fields: [String]
        var body: [UInt8]
    }

    private(set) var open: [Int: Request] = [:]
    private var nextTag = 0

    /// A tag that no other request has.
    mutating func tag() -> Int {
        nextTag += 1
        return nextTag
    }

    mutating func taken(_ tag: Int, _ request: Request) {
        open[tag] = request
    }

    mutating func ended(_ end: HTTP2StreamEnd, limits: HTTP2Session.Limits) {
        claim(open.removeValue(forKey: end.tag) != nil, "a stream that is not open ends: \(end)")
        let response = end.response
        claim(response.body.count <= limits.bodyBytes, "more of a body is kept than the limit allows")
        claim(response.body.count == min(response.bodyByteCount, limits.bodyBytes), "a part of a body is lost")
        claim(response.headers.byteCount <= limits.headerBytes, "more header fields are kept than the limit allows")
        if let status = response.status { claim((200...999).contains(status), "a final status is \(status)") }
        // Only a response with a status is an answer.
        if end.cause == .answered { claim(response.status != nil, "an answer without a status") }
        response.headers.forEach { name, _ in claim(name.first != UInt8(ascii: ":"), "a pseudo-header is kept") }
    }
}
