internal import CSSL

/// A passphrase, or another small secret: one piece of memory that is wiped when nobody needs it any more.
///
/// Any thread may use it: the bytes are written in `init` only, and that is why `@unchecked Sendable` holds.
package final class SecretBuffer: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer
    private let count: Int

    /// Copies the bytes; the caller wipes its own.
    package init(_ bytes: some Collection<UInt8>) {
        count = bytes.count
        // One byte more, so that an empty secret has an address too: without one it would mean none at all.
        memory = .allocate(byteCount: count + 1, alignment: 1)
        memory.copyBytes(from: bytes)
        memory[count] = 0
    }

    deinit {
        OPENSSL_cleanse(memory.baseAddress, memory.count)
        memory.deallocate()
    }

    /// Whether it has no byte.
    package var isEmpty: Bool { count == 0 }

    /// Lends the bytes; behind the last one lies a zero.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }
}
