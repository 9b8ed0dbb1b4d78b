internal import CSSL

/// A passphrase or another small secret. Its memory is wiped when the last reference is released.
///
/// Any thread may use it. `@unchecked Sendable` is correct, because the bytes are written only in `init`.
package final class SecretBuffer: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer
    private let count: Int

    /// Copies the bytes. The caller must wipe its own copy.
    package init(_ bytes: some Collection<UInt8>) {
        count = bytes.count
        // One extra byte, so that an empty secret has an address too. No address would mean no secret.
        memory = .allocate(byteCount: count + 1, alignment: 1)
        memory.copyBytes(from: bytes)
        memory[count] = 0
    }

    deinit {
        OPENSSL_cleanse(memory.baseAddress, memory.count)
        memory.deallocate()
    }

    package var isEmpty: Bool { count == 0 }

    /// Calls the closure with the bytes. A zero byte follows the last one.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }
}

/// Wipes bytes with key material.
package enum SecretBytes {
    /// Overwrites the bytes and empties the array.
    ///
    /// It wipes this copy only. An array that shares its memory with another is copied first.
    package static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
        bytes = []
    }
}
