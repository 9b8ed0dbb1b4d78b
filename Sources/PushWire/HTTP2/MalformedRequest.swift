/// Describes the error in a request whose stream was reset, for people.
///
/// The library quotes values of header fields. Values can be secrets, so these texts contain only names.
enum MalformedRequest {
    static func refusal(of stream: HTTP2Stream, code: UInt32, longest: Int) -> HTTP2Refusal {
        if stream.received.headerByteCount > longest {
            return .notTaken(
                code: code, "The header fields have more than \(longest) bytes, the limit of this mock.")
        }
        if isWithoutAuthority(stream) {
            return .notTaken(
                code: code,
                "The request has neither :authority nor host. The mock's HTTP/2 library (nghttp2) requires one of them."
            )
        }
        return .malformed(code: code, message(for: stream))
    }

    private static func isWithoutAuthority(_ stream: HTTP2Stream) -> Bool {
        stream.received.complaint.flatMap(fieldName) == nil && missing(in: stream).isEmpty
            && !stream.received.sectionIsWhole
            && stream.received.headers[":authority"] == nil && stream.received.headers["host"] == nil
    }

    private static func missing(in stream: HTTP2Stream) -> [String] {
        [":method", ":scheme", ":path"].filter { stream.received.headers[$0] == nil }
    }

    private static func message(for stream: HTTP2Stream) -> String {
        if let name = stream.received.complaint.flatMap(fieldName) {
            return "The header field \(name) has a name, value or position that HTTP/2 forbids (RFC 9113 section 8.2)."
        }
        let missing = missing(in: stream)
        if stream.received.headers[":method"] != "CONNECT", !missing.isEmpty {
            return "The request has no \(missing.joined(separator: ", ")) (RFC 9113 section 8.3.1)."
        }
        if let length = stream.received.headers["content-length"], length != String(stream.received.bodyByteCount) {
            return "The content-length isn't the length of the body (RFC 9113 section 8.1.1)."
        }
        return "The request isn't valid in HTTP/2 (RFC 9113 section 8.1.1)."
    }

    /// Returns the name of the field in the library's message, in quotation marks.
    private static func fieldName(_ complaint: String) -> String? {
        guard let start = complaint.firstRange(of: "name: [")?.upperBound else { return nil }
        let rest = complaint[start...]
        guard let end = rest.firstIndex(of: "]") else { return nil }
        return "\"\(rest[..<end].prefix(60))\""
    }
}
