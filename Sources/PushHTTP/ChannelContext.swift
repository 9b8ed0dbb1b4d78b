package import Hummingbird
package import NIOCore

/// The context of a request, with the channel of its connection.
package struct ChannelContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
