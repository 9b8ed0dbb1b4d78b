internal import CSSL

/// OpenSSL's list of errors of this thread.
///
/// It is cleared before each call and drained after a failed call, so that every error belongs to the right call.
enum OpenSSLErrorQueue {
    struct Entry: Equatable, Sendable {
        /// The part of OpenSSL that reported the error.
        var library: Int32
        /// The reason, as a number of that part.
        var code: Int32
        var reason: String
    }

    static func clear() {
        ERR_clear_error()
    }

    /// Empties the queue and returns its entries, the first error first.
    static func drain() -> [Entry] {
        var entries: [Entry] = []
        while case let error = ERR_get_error(), error != 0 {
            let code = CSSL_error_reason(error)
            let message = ERR_reason_error_string(error).map { String(cString: $0) } ?? "reason \(code)"
            entries.append(Entry(library: CSSL_error_library(error), code: code, reason: message))
        }
        return entries
    }

    /// Empties the queue, and returns whether OpenSSL does not support an algorithm. Several parts of OpenSSL report
    /// this with different texts.
    ///
    /// Errors of the ASN.1 parser do not count: decryption with a wrong passphrase gives random bytes.
    static func saysUnsupported() -> Bool {
        drain().contains { entry in
            entry.library != ERR_LIB_ASN1 && ["unsupported", "unknown"].contains { entry.reason.contains($0) }
        }
    }

    /// Empties the queue and returns its errors in one line.
    static func summary() -> String {
        let message = drain().map(\.reason).joined(separator: "; ")
        return message.isEmpty ? "OpenSSL gave no reason" : message
    }
}
