internal import NIOConcurrencyHelpers
import PushQueue
import PushWire

/// Hides the numbers in cursors: those of a queue count the pushes of all apps, and a key for one app learns nothing about the others.
///
/// A sealed cursor is "c_" and base64url of the seal and the covered text. One text always has the same sealed cursor, with every worker and
/// after every start.
struct CursorSeal: Sendable {
    fileprivate let key: [UInt8]
    /// The last outcome when cursors began to be sealed.
    fileprivate let end: Int64

    private static let (prefix, sealLength) = ("c_", 12)
    /// The lengths of the covered texts are multiples of this; a power of two.
    private static let step = 32
    /// Any cursor of another queue.
    private static let foreign = "r\(Int64.max / 2)"
    /// The maximum length of a cursor, in bytes: an app's name and some numbers. One that is longer is no cursor.
    private static let longest = 512

    func seal(_ text: String) -> String {
        var text = Array(text.utf8)
        // Nor does the length tell how large a number is.
        text += [UInt8](repeating: 0, count: -text.count & (Self.step - 1))
        let seal = code("seal", text).prefix(Self.sealLength)
        return Self.prefix + Base64URL.encode(seal + covered(text, seal))
    }

    /// The cursor of the queue in a sealed one, or the text itself if it isn't sealed: it may come from an older version.
    ///
    /// One that was sealed for another queue becomes a cursor of results beyond the end: those who continue there learn of the gap. So
    /// does an unsealed one that no older version can have made. Whether it has a gap would tell how many outcomes all apps have.
    func open(_ text: String) -> String {
        guard text.hasPrefix(Self.prefix) else {
            return text.first == "r" && Int64(text.dropFirst()) ?? 0 > end ? Self.foreign : text
        }
        guard text.utf8.count <= Self.longest, let bytes = Base64URL.decode(text.dropFirst(Self.prefix.count)),
            bytes.count > Self.sealLength
        else { return Self.foreign }
        let (seal, rest) = (bytes.prefix(Self.sealLength), bytes.dropFirst(Self.sealLength))
        let text = covered(Array(rest), seal)
        guard code("seal", text).prefix(Self.sealLength) == seal else { return Self.foreign }
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The text under a stream of bytes that depends on the seal.
    private func covered(_ text: [UInt8], _ seal: ArraySlice<UInt8>) -> [UInt8] {
        var stream: [UInt8] = []
        while stream.count < text.count { stream += code("cover \(stream.count)", Array(seal)) }
        return zip(text, stream).map { $0 ^ $1 }
    }

    private func code(_ purpose: String, _ bytes: [UInt8]) -> [UInt8] {
        MessageCode.sha256(of: Array("\(purpose):".utf8) + bytes, key: key) ?? [UInt8](repeating: 0, count: 32)
    }
}

/// The seal of a queue's cursors. All workers have the same: its key is a record of the queue.
final class CursorSeals: Sendable {
    private let queue: any QueueBackend
    private let known = NIOLockedValueBox<CursorSeal?>(nil)

    private static let kind = "cursors"

    init(_ queue: any QueueBackend) { self.queue = queue }

    /// Made when a queue is asked for it first.
    func seal() async throws(QueueError) -> CursorSeal {
        if let seal = known.withLockedValue({ $0 }) { return seal }
        var generator = SystemRandomNumberGenerator()
        let new = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let end = Array(String(try await queue.resultsEnd().number).utf8)
        let seal = CursorSeal(
            key: try await record("seal", new: new),
            end: Int64(String(decoding: try await record("end", new: end), as: UTF8.self)) ?? 0)
        known.withLockedValue { $0 = seal }
        return seal
    }

    /// Made if there is none. Another worker may be first.
    private func record(_ name: String, new: [UInt8]) async throws(QueueError) -> [UInt8] {
        _ = try await queue.store(new, kind: Self.kind, key: name, ifVersion: 0)
        return try await queue.record(kind: Self.kind, key: name)?.value ?? new
    }
}
