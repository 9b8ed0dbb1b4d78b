internal import CSSL

/// OpenSSL's list of what went wrong in this thread.
///
/// It is cleared before each call and drained after a failed one, so that no error is blamed on the wrong call.
enum OpenSSLErrorQueue {
    /// One entry of the queue.
    struct Entry: Equatable, Sendable {
        /// The part of OpenSSL that complained.
        var library: Int32
        /// Its reason, a number of that library's.
        var code: Int32
        /// The reason in words.
        var reason: String
    }

    static func clear() {
        ERR_clear_error()
    }

    /// Empties the queue, first error first.
    static func drain() -> [Entry] {
        var entries: [Entry] = []
        while case let error = ERR_get_error(), error != 0 {
            let code = CSSL_error_reason(error)
            let words = ERR_reason_error_string(error).map { String(cString: $0) } ?? "reason \(code)"
            entries.append(Entry(library: CSSL_error_library(error), code: code, reason: words))
        }
        return entries
    }

    /// Empties the queue, and tells whether OpenSSL lacks an algorithm: the words for it are many, of several libraries.
    ///
    /// What the reader of ASN.1 does not know is something else: what a wrong passphrase has deciphered is nonsense.
    static func saysUnsupported() -> Bool {
        drain().contains { entry in
            entry.library != ERR_LIB_ASN1 && ["unsupported", "unknown"].contains { entry.reason.contains($0) }
        }
    }

    /// Empties the queue into one line.
    static func summary() -> String {
        let words = drain().map(\.reason).joined(separator: "; ")
        return words.isEmpty ? "OpenSSL gave no reason" : words
    }
}
