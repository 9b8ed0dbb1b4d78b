internal import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Tells a client that asks whether to send its body to send it, RFC 9110 section 10.1.1. curl asks before a large body,
/// and waits a second for the answer.
package final class ContinueHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundOut = HTTPResponsePart

    /// Creates a handler for a connection.
    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data),
            head.headerFields[.expect]?.lowercased() == "100-continue"
        {
            context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        }
        context.fireChannelRead(data)
    }
}
