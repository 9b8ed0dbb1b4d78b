internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
import PushJSON

extension Response {
    /// An answer with JSON.
    init(json: PushJSONValue, status: HTTPResponse.Status = .ok) {
        self.init(json.encoded, type: "application/json", status: status)
    }

    /// An answer with bytes.
    init(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok) {
        self.init(ByteBuffer(bytes: bytes), type: type, status: status)
    }

    /// An answer with bytes that other answers may share.
    init(_ buffer: ByteBuffer, type: String, status: HTTPResponse.Status = .ok) {
        self.init(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: buffer))
    }

    /// A page of a list.
    static func list(_ items: [PushJSONValue], next: String?) -> Response {
        Response(json: ["items": .array(items), "next": next.map(PushJSONValue.string) ?? .null])
    }

    /// Leaves out the body of an answer to HEAD. The length stays that of the body for GET; an endless one has none.
    mutating func dropBody(ofAnswerTo request: Request) {
        guard request.method == .head else { return }
        let length = body.contentLength
        body = ResponseBody()
        headers[.contentLength] = length.map(String.init)
    }

    /// An answer without a body.
    static var noContent: Response { Response(status: .noContent) }
}

extension PushJSONValue {
    /// An object without the members that are `nil`.
    static func members(_ members: [(String, PushJSONValue?)]) -> PushJSONValue {
        var object: [String: PushJSONValue] = [:]
        for (name, value) in members { object[name] = value }
        return .object(object)
    }

    /// The object with further members.
    func adding(_ more: [String: PushJSONValue]) -> PushJSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.merging(more) { first, _ in first })
    }
}
