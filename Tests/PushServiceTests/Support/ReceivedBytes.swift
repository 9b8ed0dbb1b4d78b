import NIOConcurrencyHelpers
import NIOCore

/// Bytes that have arrived, for one reader.
final class ReceivedBytes: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isClosed = false
        var reader: CheckedContinuation<[UInt8]?, Never>?
    }

    private let state = NIOLockedValueBox(State())

    /// What has arrived, as soon as there is something; `nil` after the end.
    func next() async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            let (ready, value) = state.withLockedValue { state -> (Bool, [UInt8]?) in
                if !state.bytes.isEmpty {
                    defer { state.bytes = [] }
                    return (true, state.bytes)
                }
                if state.isClosed { return (true, nil) }
                state.reader = continuation
                return (false, nil)
            }
            if ready { continuation.resume(returning: value) }
        }
    }

    func putBack(_ bytes: [UInt8]) { state.withLockedValue { $0.bytes = bytes + $0.bytes } }

    func add(_ bytes: [UInt8]) {
        let reader = state.withLockedValue { state -> CheckedContinuation<[UInt8]?, Never>? in
            guard let reader = state.reader else {
                state.bytes += bytes
                return nil
            }
            state.reader = nil
            return reader
        }
        reader?.resume(returning: bytes)
    }

    func end() {
        let reader = state.withLockedValue { state -> CheckedContinuation<[UInt8]?, Never>? in
            state.isClosed = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }
}

/// Hands arriving bytes over.
final class ReceivingHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let received: ReceivedBytes

    init(_ received: ReceivedBytes) {
        self.received = received
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.add(Array(buffer: unwrapInboundIn(data)))
    }

    func channelInactive(context: ChannelHandlerContext) { received.end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
