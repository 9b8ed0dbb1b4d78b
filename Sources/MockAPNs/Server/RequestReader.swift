import APNSVocabulary
internal import PushWire

/// Creates requests from received header fields, for one connection.
///
/// The requests of a sender mostly differ in the path only. A head or a field that equals the one of the previous request is
/// reused, not decoded again.
struct RequestReader {
    private var lastHeaders = HeaderBlock()
    private var last = RequestHead(method: "", path: "", fields: [])
    /// The value of the authorization header of the last request; its head does not have it.
    private var authorization: String?
    /// ``authorization`` in its redacted form.
    private var redacted = MockRequest.Field("", "")

    mutating func request(_ received: HTTP2Request) -> MockRequest {
        if !received.headers.isIdentical(to: lastHeaders) {
            last = head(received.headers)
            lastHeaders = received.headers
        }
        return MockRequest(
            last, authorization: authorization, body: received.body, bodyByteCount: received.bodyByteCount,
            isBeyondStreamLimit: received.isBeyondAnnouncedLimit)
    }

    private mutating func head(_ headers: HeaderBlock) -> RequestHead {
        var method = ""
        var path = ""
        var fields: [MockRequest.Field] = []
        fields.reserveCapacity(headers.count)
        let lastAuthorization = authorization
        authorization = nil
        headers.forEach { name, value in
            guard name.first == UInt8(ascii: ":") else {
                guard name.isEqual(to: APNSHeader.authorization) else {
                    return fields.append(field(name, value, at: fields.count))
                }
                // A repeated header has its own redacted form.
                guard authorization == nil else { return fields.append(Self.field(name, value).redacted) }
                if let lastAuthorization, value.isEqual(to: lastAuthorization) {
                    authorization = lastAuthorization
                } else {
                    let field = Self.field(name, value)
                    authorization = field.value
                    redacted = field.redacted
                }
                return fields.append(redacted)
            }
            if name.isEqual(to: ":method") { method = String(decoding: value, as: UTF8.self) }
            if name.isEqual(to: ":path") { path = String(decoding: value, as: UTF8.self) }
        }
        return RequestHead(method: method, path: path, fields: fields)
    }

    private func field(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, at index: Int
    ) -> MockRequest.Field {
        guard index < last.fields.count else { return Self.field(name, value) }
        let known = last.fields[index]
        guard name.isEqual(to: known.name) else { return Self.field(name, value) }
        return value.isEqual(to: known.value)
            ? known : MockRequest.Field(known.name, String(decoding: value, as: UTF8.self))
    }

    private static func field(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) -> MockRequest.Field {
        MockRequest.Field(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func isEqual(to text: String) -> Bool {
        guard text.utf8.count == count else { return false }
        return text.utf8.elementsEqual(self)
    }
}
