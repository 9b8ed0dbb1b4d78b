internal import HTTPTypes
package import NIOCore
internal import NIOHTTP1
package import NIOHTTPTypes

/// A handler that sees the parts of the requests of a connection, and those of their answers.
package protocol MessageHandler: ChannelDuplexHandler, RemovableChannelHandler
where
    InboundIn == HTTPRequestPart, InboundOut == HTTPRequestPart,
    OutboundIn == HTTPResponsePart, OutboundOut == HTTPResponsePart
{}

/// Says what is wrong with bytes that are no request. Hummingbird ends such a connection with 400 and nothing else.
package final class UnreadableRequest: MessageHandler {
    private var problem: APIProblem?

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
        case .headerOverflow:
            .invalid(
                "The request has more than \(RequestCutting.maximumLines - 1) header fields, or they are too long.",
                code: "headers_too_long")
        default:
            .invalid(
                "What arrived isn't an HTTP/1.1 request.", code: "not_http",
                remedy: "Check the scheme of the address, and what stands between the program and this server.")
        }
    }
}

/// Closes the connection after a request that offers to upgrade it, as Java's HttpClient does, and after CONNECT.
///
/// The API does not upgrade connections. NIO's decoder stops at the end of such a request, because what follows could be another
/// protocol; the next request on the connection would never be answered.
package final class UpgradeRefusal: MessageHandler {
    private var isOffered = false

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        if case .head(var head) = part, head.headerFields.contains(.upgrade) || head.method == .connect {
            isOffered = true
            // Hummingbird ends the connection after a request with this field.
            head.headerFields[.connection] = "close"
            part = .head(head)
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        if isOffered, case .head(var head) = part {
            head.headerFields[.connection] = "close"
            part = .head(head)
        }
        context.write(wrapOutboundOut(part), promise: promise)
    }
}
