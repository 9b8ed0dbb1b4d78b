import TestSupport

@testable import PushProvider
@testable import PushWire

extension HTTP2Response {
    static func sample(
        status: Int? = nil, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) -> HTTP2Response {
        sample(status: status, block: HeaderBlock(headers), body: body)
    }

    static func sample(status: Int?, block: HeaderBlock, body: [UInt8] = []) -> HTTP2Response {
        HTTP2Response(status: status, headers: block, body: body, bodyByteCount: body.count)
    }
}

extension StreamResult.Facts {
    static func sample(
        _ cause: HTTP2StreamEnd.Cause = .answered,
        written: Bool = true,
        status: Int? = nil,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) -> StreamResult.Facts {
        StreamResult.Facts(
            end: HTTP2StreamEnd(
                streamID: 1, tag: 0, cause: cause, response: .sample(status: status, headers: headers, body: body)),
            wasWritten: written,
            connectionError: nil,
            apnsID: "sent-id",
            trace: .sample
        )
    }
}
