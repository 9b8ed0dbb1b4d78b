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

    /// What was received on the stream.
    @exclusivity(unchecked) var received = ReceivedMessage()
    /// Server role: the answer.
    @exclusivity(unchecked) var answer = OutgoingAnswer()
    /// How many bytes of the body that this side sends are in frames.
    @exclusivity(unchecked) var outgoingOffset = 0
    /// Client role: the request with its own fields and its body.
    @exclusivity(unchecked) private(set) var outgoing: OutgoingRequest?
    /// The owner of the memory of ``outgoing``.
    @exclusivity(unchecked) private var owner: AnyObject?
    /// The provider token. It is usually the same as for the previous request in this object.
    @exclusivity(unchecked) private var credential: KeptRequest?
    @exclusivity(unchecked) private(set) var credentialFields = UnsafeRawBufferPointer.nothing

    /// Server role: whether the stream was opened beyond a limit that the client has not acknowledged.
    @exclusivity(unchecked) var isBeyondAnnouncedLimit = false
    /// Server role: whether the request is refused.
    @exclusivity(unchecked) var isRefused = false
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
        answer.reuse()
        received.reuse()
        isBeyondAnnouncedLimit = false
        isRefused = false
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

    func takeRequest() -> HTTP2Request {
        let request = HTTP2Request(
            streamID: id, headers: received.headers, body: received.body, bodyByteCount: received.bodyByteCount,
            isBeyondAnnouncedLimit: isBeyondAnnouncedLimit)
        received.body = []
        return request
    }

    /// The request with its fields, before its body is received.
    var requestSoFar: HTTP2Request {
        HTTP2Request(streamID: id, headers: received.headers, body: [], bodyByteCount: 0)
    }
}

struct OutgoingAnswer {
    var body: [UInt8] = []
    /// The fields, until the stream's object is reused for the next answer.
    var fields = OutgoingFields.none
    var shape: AnswerShape?
    var isSubmitted = false
    /// Whether its first HEADERS are in a frame.
    var hasLeft = false

    /// Prepares for the next answer. Fields and body are replaced when it is submitted.
    mutating func reuse() {
        shape = nil
        isSubmitted = false
        hasLeft = false
    }

    /// Returns the fields of the next HEADERS frame.
    mutating func takeFields() -> OutgoingFields {
        shape?.takeFields(fields) ?? fields
    }
}
