internal import NIOCore
internal import PushWire

/// Writes TLS records to the socket, and counts the bytes that the kernel has accepted. Use it only on the event loop
/// of its channel.
final class RecordWriter {
    /// Enough for a full record with its header and tag.
    private static let recordCapacity = TLSSession.recordBytes + 256
    private static let mostSpareBuffers = 8

    /// Buffers of written records, for reuse: to free and allocate 16 KiB each time is expensive.
    @exclusivity(unchecked) private var spareBuffers: [ByteBuffer] = []
    /// The kernel has accepted the ciphertext up to this offset.
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
