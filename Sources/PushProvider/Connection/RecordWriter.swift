internal import NIOCore
internal import PushWire

/// Hands TLS records to the socket, and keeps count of what the kernel has taken of them. It belongs to its channel's loop.
final class RecordWriter {
    /// A full record with its header and tag fits in.
    private static let recordCapacity = TLSSession.recordBytes + 256
    private static let mostSpareBuffers = 8

    /// Written records: their memory goes round, because giving 16 KiB back and asking for it again is dear.
    @exclusivity(unchecked) private var spareBuffers: [ByteBuffer] = []
    /// Up to here the kernel has taken our ciphertext.
    @exclusivity(unchecked) private(set) var acceptedBytes: UInt64 = 0

    /// Writes a record that ends at this offset of the ciphertext.
    func write(_ bytes: UnsafeRawBufferPointer, endingAt end: UInt64, to context: ChannelHandlerContext) {
        var buffer = spareBuffers.popLast() ?? context.channel.allocator.buffer(capacity: Self.recordCapacity)
        buffer.clear(minimumCapacity: bytes.count)
        buffer.writeBytes(bytes)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { [buffer] in
            self.acceptedBytes = max(self.acceptedBytes, end)
            if self.spareBuffers.count < Self.mostSpareBuffers { self.spareBuffers.append(buffer) }
        }
        context.write(NIOAny(buffer), promise: promise)
    }
}
