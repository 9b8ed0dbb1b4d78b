/// What a session keeps of one open stream. Objects are used again, so that their buffers are.
///
/// Owned by its ``HTTP2Session``; nghttp2 carries an unretained pointer to it as the stream's user data.
final class HTTP2Stream {
    @exclusivity(unchecked) var id: Int32 = 0
    @exclusivity(unchecked) var tag = 0
    /// The index among the session's streams.
    let slot: Int
    /// It is in use: from before it is submitted until the library has closed it.
    @exclusivity(unchecked) var isOpen = false

    /// Server role: the body of the answer.
    @exclusivity(unchecked) var outgoingBody: [UInt8] = []
    @exclusivity(unchecked) var outgoingOffset = 0
    /// Server role: the fields of the answer, until the next one.
    @exclusivity(unchecked) var answerFields = OutgoingFields.none
    /// Server role: what is unusual about the answer.
    @exclusivity(unchecked) var answerShape: AnswerShape?
    /// Client role, the request: its own fields and its body.
    @exclusivity(unchecked) private(set) var outgoing: OutgoingRequest?
    /// Keeps ``outgoing`` where it is.
    @exclusivity(unchecked) private var owner: AnyObject?
    /// Mostly the same as for the request before in this object.
    @exclusivity(unchecked) private var credential: KeptRequest?
    @exclusivity(unchecked) private(set) var credentialFields = UnsafeRawBufferPointer.nothing

    /// What is received.
    @exclusivity(unchecked) var status: Int?
    /// The fields that it came with are there to the last one.
    @exclusivity(unchecked) var sectionIsWhole = false
    @exclusivity(unchecked) var headers = HeaderBlock()
    @exclusivity(unchecked) var body: [UInt8] = []
    @exclusivity(unchecked) var bodyByteCount = 0
    /// Server role: what is kept of a request that is not whole.
    @exclusivity(unchecked) var unfinishedBytes = 0
    @exclusivity(unchecked) var headerByteCount = 0
    @exclusivity(unchecked) var sectionsBegun = 0
    @exclusivity(unchecked) var receivesTrailers = false
    /// Nothing more comes from the peer.
    @exclusivity(unchecked) var peerHasFinished = false

    @exclusivity(unchecked) var peerReset: UInt32?
    /// Server role: an answer was submitted.
    @exclusivity(unchecked) var isAnswered = false
    /// Server role: the first HEADERS of the answer is in a frame.
    @exclusivity(unchecked) var answerHasLeft = false
    /// Server role: it was opened beyond a limit that the client has not acknowledged.
    @exclusivity(unchecked) var isBeyondAnnouncedLimit = false
    /// Server role: the request is not taken.
    @exclusivity(unchecked) var isRefused = false
    /// Server role: what is wrong with the request, in the library's words.
    @exclusivity(unchecked) var complaint: String?
    /// This side's owner wants its end.
    @exclusivity(unchecked) var isResetOnRequest = false
    /// The session has told the end of this stream.
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
        // Seldom anything is left of the stream before.
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

    /// Client role: how much of the request's body is in no frame yet, in bytes.
    var unframedBodyBytes: Int { outgoing.map { $0.body.count - outgoingOffset } ?? 0 }

    /// The request is not needed any more.
    func releaseRequest() {
        outgoing = nil
        owner = nil
    }

    /// An interim answer (1xx) is followed by another section of headers; a final one only by trailers.
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

    /// The fields of the next HEADERS frame of the answer.
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

    /// What there is of a request whose body is still to come.
    var requestSoFar: HTTP2Request { HTTP2Request(streamID: id, headers: headers, body: [], bodyByteCount: 0) }

    /// What there is of an answer whose end is still to come.
    var responseSoFar: HTTP2Response {
        HTTP2Response(status: finalStatus, headers: headers, body: body, bodyByteCount: bodyByteCount)
    }

    func takeResponse() -> HTTP2Response {
        let response = responseSoFar
        headers = HeaderBlock()
        body = []
        return response
    }

    /// The peer has begun to answer by something that is not interim, even if it can not be read: without a status, say, or
    /// with more fields than are taken. So it has processed the request.
    var answerHasBegun: Bool {
        guard sectionsBegun > 0 else { return false }
        guard sectionIsWhole, let status else { return true }
        return status >= 200
    }

    /// An interim status is no answer, and one among fields that never came to their end is none yet.
    var finalStatus: Int? {
        guard let status, status >= 200, sectionIsWhole else { return nil }
        return status
    }
}
