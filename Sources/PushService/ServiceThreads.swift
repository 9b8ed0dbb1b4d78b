package import NIOCore
internal import NIOPosix

/// The threads of the service for all connections.
package enum ServiceThreads {
    /// The event loops of the process.
    package static var eventLoops: any EventLoopGroup { MultiThreadedEventLoopGroup.singleton }
}
