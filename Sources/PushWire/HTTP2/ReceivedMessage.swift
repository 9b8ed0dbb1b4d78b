/// What a peer has sent on one stream: the request in the server role, the answer in the client role.
struct ReceivedMessage {
    var status: Int?
    /// Whether all fields of the header section were received.
    var sectionIsWhole = false
    var headers = HeaderBlock()
    var body: [UInt8] = []
    var bodyByteCount = 0
    /// Server role: the number of bytes stored for an incomplete request.
    var unfinishedBytes = 0
    var headerByteCount = 0
    var sectionsBegun = 0
    var receivesTrailers = false
    /// Whether the peer has ended its side of the stream.
    var peerHasFinished = false
    /// The error code with which the peer has reset the stream.
    var peerReset: UInt32?
    /// Server role: the library's message about an error in the request.
    var complaint: String?

    /// Prepares for the next stream.
    mutating func reuse() {
        status = nil
        sectionIsWhole = false
        // Usually nothing is left of the previous stream.
        if headers.count > 0 { headers = HeaderBlock() }
        if !body.isEmpty { body = [] }
        bodyByteCount = 0
        headerByteCount = 0
        sectionsBegun = 0
        receivesTrailers = false
        peerHasFinished = false
        peerReset = nil
        complaint = nil
    }

    /// Begins a header section. After an interim answer (1xx) there is another section; after a final one only
    /// trailers.
    mutating func beginSection() {
        sectionsBegun += 1
        guard sectionsBegun > 1 else { return }
        if let status, status < 200 {
            self.status = nil
            sectionIsWhole = false
            headers.removeAll()
        } else {
            receivesTrailers = true
        }
    }

    var responseSoFar: HTTP2Response {
        HTTP2Response(status: finalStatus, headers: headers, body: body, bodyByteCount: bodyByteCount)
    }

    mutating func takeResponse() -> HTTP2Response {
        let response = responseSoFar
        headers = HeaderBlock()
        body = []
        return response
    }

    /// Whether the peer has begun a final answer, even one that cannot be read, for example without a status or with
    /// too many fields. Then it has processed the request.
    var answerHasBegun: Bool {
        guard sectionsBegun > 0 else { return false }
        guard sectionIsWhole, let status else { return true }
        return status >= 200
    }

    /// The final status; `nil` for an interim status, and before all fields were received.
    var finalStatus: Int? {
        guard let status, status >= 200, sectionIsWhole else { return nil }
        return status
    }
}
