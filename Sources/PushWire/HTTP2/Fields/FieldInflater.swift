internal import CNGHTTP2

/// Reads the header fields of one side, as HPACK (RFC 7541) has them.
///
/// Owns one `nghttp2_hd_inflater`. Used by one thread at a time, its owner's.
final class FieldInflater {
    /// More of a section are not kept: a few bytes can stand for very much.
    private static let mostFields = 200
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

    /// The fields of a whole section; `nil` when it is none, or was too long to be kept. From then on nothing can be read: each
    /// section depends on those before.
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
            if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0, fields.count < Self.mostFields {
                fields.append(
                    .init(name: Self.text(pair.name, pair.namelen), value: Self.text(pair.value, pair.valuelen)))
            }
            if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 { return true }
            // Neither a field nor the end came of it.
            if count == 0, flags == 0 { return false }
        }
    }

    private static func text(_ start: UnsafeMutablePointer<UInt8>?, _ count: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: start, count: min(count, longestText)), as: UTF8.self)
    }
}
