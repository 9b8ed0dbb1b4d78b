internal import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Closes the connection after a request that offers to upgrade it, as Java's HttpClient does.
///
/// The API does not upgrade connections. NIO's decoder stops at the end of such a request, because what follows could be another
/// protocol; the next request on the connection would never be answered.
package final class UpgradeRefusal: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private var isOffered = false

    /// Creates a handler for a connection.
    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        if case .head(var head) = part, head.headerFields.contains(.upgrade) {
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
