internal import NIOCore
internal import NIOPosix

/// The threads that mocks run on: the process's own.
enum MockThreads {
    static let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
}
