internal import NIOCore
internal import PushWire

/// Writes TLS records to the socket, and knows which requests the kernel has accepted. Use it only on the event loop
/// of its channel.
final class RecordWriter {
    /// Enough for a full record with its header and tag.
    private static let recordCapacity = TLSSession.recordBytes + 256
    /// The maximum number of buffers that are kept for reuse. Further ones are freed.
    private static let maximumSpareBuffers = 8

    /// Buffers of written records, for reuse: to free and allocate 16 KiB each time is expensive.
    @exclusivity(unchecked) private var spareBuffers: [ByteBuffer] = []
    /// The kernel has accepted the ciphertext up to this offset.
    @exclusivity(unchecked) private var acceptedBytes: UInt64 = 0
    /// For each tag, the ciphertext offset of the end of the record that holds the first byte of HEADERS.
    @exclusivity(unchecked) private var recordEnds: [UInt64] = []

    /// A request with this tag begins. No record holds it yet.
    @inline(__always)
    func begin(_ tag: Int) {
        while recordEnds.count <= tag { recordEnds.append(.max) }
        recordEnds[tag] = .max
    }

    /// Whether the kernel has accepted the record that holds the first byte of this request.
    func isWritten(_ tag: Int) -> Bool {
        acceptedBytes >= recordEnds[tag]
    }

    /// Writes a record.
    ///
    /// - Parameters:
    ///   - bytes: The record.
    ///   - end: The offset of its end in the ciphertext.
    ///   - opened: The tags of the requests whose first byte it holds.
    ///   - context: Where to write it.
    func write(
        _ bytes: UnsafeRawBufferPointer, endingAt end: UInt64, opened: [Int], to context: ChannelHandlerContext
    ) {
        for tag in opened { recordEnds[tag] = end }
        var buffer = spareBuffers.popLast() ?? context.channel.allocator.buffer(capacity: Self.recordCapacity)
        buffer.clear(minimumCapacity: bytes.count)
        buffer.writeBytes(bytes)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { [buffer] in
            self.acceptedBytes = max(self.acceptedBytes, end)
            if self.spareBuffers.count < Self.maximumSpareBuffers { self.spareBuffers.append(buffer) }
        }
        context.write(NIOAny(buffer), promise: promise)
    }
}
