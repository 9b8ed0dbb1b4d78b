internal import CSSL

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
