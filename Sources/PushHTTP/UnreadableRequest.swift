internal import HTTPTypes
package import NIOCore
internal import NIOHTTP1
package import NIOHTTPTypes

/// Says what is wrong with bytes that are no request. Hummingbird ends such a connection with 400 and nothing else.
package final class UnreadableRequest: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private var problem: APIProblem?

    /// Creates a handler for a connection.
    package init() {}

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError { problem = .unreadable(error) }
        context.fireErrorCaught(error)
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let problem, case .head(var head) = unwrapOutboundIn(data), head.status == .badRequest,
            head.headerFields[.contentLength] == "0"
        else { return context.write(data, promise: promise) }
        self.problem = nil
        let body = problem.body
        head.headerFields[.contentLength] = String(body.count)
        head.headerFields[.contentType] = APIProblem.contentType
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: promise)
    }
}

extension APIProblem {
    fileprivate static func unreadable(_ error: HTTPParserError) -> APIProblem {
        switch error {
        case .invalidMethod:
            .invalid(
                "The method of the request is unknown.", code: "unknown_method",
                remedy: "Use GET, HEAD, POST, PUT, PATCH or DELETE.")
        case .headerOverflow: .invalid("The header fields of the request are too long.", code: "headers_too_long")
        default:
            .invalid(
                "What arrived isn't an HTTP/1.1 request.", code: "not_http",
                remedy: "Check the scheme of the address, and what stands between the program and this server.")
        }
    }
}
