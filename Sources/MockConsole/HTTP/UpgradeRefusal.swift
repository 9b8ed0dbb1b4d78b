import HTTPTypes
import NIOCore
internal import NIOHTTPTypes

/// Closes the connection after a request that offers to upgrade it, as Java's HttpClient does.
///
/// The API does not upgrade connections. NIO's decoder stops at the end of such a request, because what follows could be another
/// protocol; the next request on the connection would never be answered.
final class UpgradeRefusal: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var isOffered = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        if case .head(var head) = part, head.headerFields.contains(.upgrade) {
            isOffered = true
            // Hummingbird ends the connection after a request with this field.
            head.headerFields[.connection] = "close"
            part = .head(head)
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        if isOffered, case .head(var head) = part {
            head.headerFields[.connection] = "close"
            part = .head(head)
        }
        context.write(wrapOutboundOut(part), promise: promise)
    }
}
