/// The state of one open stream in a session. Objects are reused, with their buffers.
///
/// Its ``HTTP2Session`` owns it. nghttp2 has an unretained pointer to it as the stream's user data.
final class HTTP2Stream {
    @exclusivity(unchecked) var id: Int32 = 0
    @exclusivity(unchecked) var tag = 0
    /// The index among the session's streams.
    let slot: Int
    /// Whether the object is in use: from before the request is submitted until the library has closed the stream.
    @exclusivity(unchecked) var isOpen = false

    /// Server role: the body of the answer.
    @exclusivity(unchecked) var outgoingBody: [UInt8] = []
    @exclusivity(unchecked) var outgoingOffset = 0
    /// Server role: the fields of the answer, until the object is reused for the next one.
    @exclusivity(unchecked) var answerFields = OutgoingFields.none
    /// Server role: the unusual properties of the answer.
    @exclusivity(unchecked) var answerShape: AnswerShape?
    /// Client role: the request with its own fields and its body.
    @exclusivity(unchecked) private(set) var outgoing: OutgoingRequest?
    /// The owner of the memory of ``outgoing``.
    @exclusivity(unchecked) private var owner: AnyObject?
    /// The provider token. It is usually the same as for the previous request in this object.
    @exclusivity(unchecked) private var credential: KeptRequest?
    @exclusivity(unchecked) private(set) var credentialFields = UnsafeRawBufferPointer.nothing

    /// The received status.
    @exclusivity(unchecked) var status: Int?
    /// Whether all fields of the header section were received.
    @exclusivity(unchecked) var sectionIsWhole = false
    @exclusivity(unchecked) var headers = HeaderBlock()
    @exclusivity(unchecked) var body: [UInt8] = []
    @exclusivity(unchecked) var bodyByteCount = 0
    /// Server role: the number of bytes stored for an incomplete request.
    @exclusivity(unchecked) var unfinishedBytes = 0
    @exclusivity(unchecked) var headerByteCount = 0
    @exclusivity(unchecked) var sectionsBegun = 0
    @exclusivity(unchecked) var receivesTrailers = false
    /// Whether the peer has ended its side of the stream.
    @exclusivity(unchecked) var peerHasFinished = false

    @exclusivity(unchecked) var peerReset: UInt32?
    /// Server role: whether an answer was submitted.
    @exclusivity(unchecked) var isAnswered = false
    /// Server role: whether the first HEADERS of the answer is in a frame.
    @exclusivity(unchecked) var answerHasLeft = false
    /// Server role: whether the stream was opened beyond a limit that the client has not acknowledged.
    @exclusivity(unchecked) var isBeyondAnnouncedLimit = false
    /// Server role: whether the request is refused.
    @exclusivity(unchecked) var isRefused = false
    /// Server role: the library's message about an error in the request.
    @exclusivity(unchecked) var complaint: String?
    /// Whether this side's owner has reset the stream.
    @exclusivity(unchecked) var isResetOnRequest = false
    /// Whether the end of the stream was reported.
    @exclusivity(unchecked) var reported = false

    init(slot: Int) {
        self.slot = slot
    }

    func reuse(id: Int32, tag: Int) {
        self.id = id
        self.tag = tag
        isOpen = true
        outgoingOffset = 0
        answerShape = nil
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
        isAnswered = false
        answerHasLeft = false
        isBeyondAnnouncedLimit = false
        isRefused = false
        complaint = nil
        isResetOnRequest = false
        reported = false
    }

    func setRequest(_ request: OutgoingRequest, owner: AnyObject, credential: KeptRequest?) {
        outgoing = request
        self.owner = owner
        guard self.credential !== credential else { return }
        self.credential = credential
        credentialFields = credential?.outgoing.fields ?? .nothing
    }

    var ownFields: UnsafeRawBufferPointer { outgoing?.fields ?? .nothing }

    /// Client role: the number of bytes of the request's body that are in no frame yet.
    var unframedBodyBytes: Int { outgoing.map { $0.body.count - outgoingOffset } ?? 0 }

    /// Releases the request when it is no longer needed.
    func releaseRequest() {
        outgoing = nil
        owner = nil
    }

    /// Begins a header section. After an interim answer (1xx) there is another section; after a final one only
    /// trailers.
    func beginSection() {
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

    /// Returns the fields of the next HEADERS frame of the answer.
    func takeAnswerFields() -> OutgoingFields {
        answerShape?.takeFields(answerFields) ?? answerFields
    }

    func takeRequest() -> HTTP2Request {
        let request = HTTP2Request(
            streamID: id, headers: headers, body: body, bodyByteCount: bodyByteCount,
            isBeyondAnnouncedLimit: isBeyondAnnouncedLimit)
        body = []
        return request
    }

    /// The request with its fields, before its body is received.
    var requestSoFar: HTTP2Request { HTTP2Request(streamID: id, headers: headers, body: [], bodyByteCount: 0) }

    /// The received part of the answer.
    var responseSoFar: HTTP2Response {
        HTTP2Response(status: finalStatus, headers: headers, body: body, bodyByteCount: bodyByteCount)
    }

    func takeResponse() -> HTTP2Response {
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
