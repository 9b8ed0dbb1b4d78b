package import HTTPTypes
package import Hummingbird
package import NIOCore
package import PushJSON

extension Response {
    package init(json: PushJSONValue, status: HTTPResponse.Status = .ok) {
        self.init(json.encoded, type: "application/json", status: status)
    }

    package init(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok) {
        self.init(ByteBuffer(bytes: bytes), type: type, status: status)
    }

    /// An answer with bytes that other answers may share.
    package init(_ buffer: ByteBuffer, type: String, status: HTTPResponse.Status = .ok) {
        self.init(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: buffer))
    }

    /// An answer whose body is written while it is sent. What it keeps, such as a reservation, lives until the body has ended.
    package static func stream(
        _ type: String, status: HTTPResponse.Status = .ok, keeping kept: any Sendable,
        _ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        Response(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody { writer in
                defer { withExtendedLifetime(kept) {} }
                try await write(&writer)
                try await writer.finish(nil)
            })
    }

    package static var noContent: Response { Response(status: .noContent) }

    package static func list(_ items: [PushJSONValue], next: String?) -> Response {
        Response(json: ["items": .array(items), "next": next.map(PushJSONValue.string) ?? .null])
    }

    /// Leaves out the body of an answer to HEAD. The length stays that of the body for GET. An endless one has none, and gets 0: without a
    /// length, the end of a chunked body would be sent.
    package mutating func dropBody(ofAnswerTo request: Request) {
        guard request.method == .head else { return }
        let length = body.contentLength
        body = ResponseBody()
        headers[.contentLength] = String(length ?? 0)
    }

    /// Sets what every answer of an API has.
    package mutating func complete(for request: Request) {
        headers[.xContentTypeOptions] = "nosniff"
        // No page of another origin can read an answer by embedding it.
        if let name = Self.resourcePolicy { headers[name] = "same-origin" }
        dropBody(ofAnswerTo: request)
    }

    private static let resourcePolicy = HTTPField.Name("cross-origin-resource-policy")
}

extension ByteBuffer {
    /// Writes an event of a stream of server-sent events.
    package mutating func writeEvent(_ name: String, id: String?, _ data: [UInt8]) {
        writeString("event: \(name)\n\(id.map { "id: \($0)\n" } ?? "")data: ")
        writeBytes(data)
        writeString("\n\n")
    }
}
