internal import CNGHTTP2

/// Decodes the header fields of one direction from HPACK (RFC 7541).
///
/// Owns one `nghttp2_hd_inflater`. Only one thread may use it at a time.
final class FieldInflater {
    /// The maximum number of fields that are stored of a section. Further fields are dropped: a few bytes of HPACK can
    /// encode very many fields.
    private static let maximumFields = 200
    /// The maximum length of a name or value, in bytes. Longer texts are cut.
    private static let longestText = 4096

    private var inflater: OpaquePointer?

    init() {
        if nghttp2_hd_inflate_new(&inflater) != 0 { inflater = nil }
    }

    deinit {
        letGo()
    }

    private func letGo() {
        if let inflater { nghttp2_hd_inflate_del(inflater) }
        inflater = nil
    }

    /// Returns the fields of a whole section; `nil` if it is invalid or was too long. After that, no section can be
    /// read, because each section depends on the previous ones.
    func fields(in section: [UInt8]?) -> [TracedFrame.Field]? {
        guard let section else {
            letGo()
            return nil
        }
        guard inflater != nil else { return nil }
        var fields: [TracedFrame.Field] = []
        let isRead = section.withUnsafeBufferPointer { read($0, to: &fields) }
        guard isRead else {
            letGo()
            return nil
        }
        nghttp2_hd_inflate_end_headers(inflater)
        return fields
    }

    private func read(_ bytes: UnsafeBufferPointer<UInt8>, to fields: inout [TracedFrame.Field]) -> Bool {
        var rest = bytes[...]
        while true {
            var pair = nghttp2_nv()
            var flags: Int32 = 0
            let start = UnsafeBufferPointer(rebasing: rest).baseAddress
            let count = nghttp2_hd_inflate_hd2(inflater, &pair, &flags, start, rest.count, 1)
            guard count >= 0 else { return false }
            rest = rest.dropFirst(count)
            if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0, fields.count < Self.maximumFields {
                fields.append(
                    .init(name: Self.text(pair.name, pair.namelen), value: Self.text(pair.value, pair.valuelen)))
            }
            if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 { return true }
            // There is neither a field nor the end of the section.
            if count == 0, flags == 0 { return false }
        }
    }

    private static func text(_ start: UnsafeMutablePointer<UInt8>?, _ count: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: start, count: min(count, longestText)), as: UTF8.self)
    }
}
