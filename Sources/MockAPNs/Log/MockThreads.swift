internal import NIOCore
internal import NIOPosix

/// The threads of all mocks: the shared event loops of the process.
enum MockThreads {
    static let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
}
