internal import CSSL

/// Care for bytes that hold key material.
package enum SecretBytes {
    /// Overwrites the bytes and empties the array, when the work with them is done.
    ///
    /// It reaches this copy only: an array that shares its memory with another is copied first.
    package static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
        bytes = []
    }
}
