package struct TracedFrame: Equatable, Sendable {
    package enum Direction: Sendable {
        case sent
        case received
    }

    /// The contents of a frame, never a body.
    package enum Content: Equatable, Sendable {
        /// The preface: the first 24 bytes of a client, which are not a frame.
        case preface
        /// All fields of the header section that ends with this frame.
        case fields([Field])
        case settings([Setting])
        case reset(UInt32)
        case goAway(HTTP2GoAway)
        case windowUpdate(UInt32)
        /// No contents: only length and flags matter, or the contents are incomplete or cannot be read.
        case opaque
    }

    package struct Field: Equatable, Sendable {
        package var name: String
        package var value: String
    }

    package struct Setting: Equatable, Sendable {
        package var id: UInt16
        package var value: UInt32
    }

    package var direction: Direction
    /// The type number of RFC 9113 section 6.
    package var type: UInt8
    package var flags: UInt8
    package var streamID: Int32
    /// The length of the payload, in bytes.
    package var length: Int
    package var content: Content
}

/// Parses the bytes of both directions of a connection to frames, independently of the session.
///
/// Only the owner of the connection may use it. If the bytes are not HTTP/2, the frames are meaningless, but it does no
/// harm.
package final class FrameTrace {
    private var sent: FrameReader
    private var received: FrameReader

    /// Creates a trace.
    ///
    /// - Parameter role: The role of this side.
    package init(role: HTTP2Session.Role) {
        sent = FrameReader(.sent, beginsWithPreface: role == .client)
        received = FrameReader(.received, beginsWithPreface: role == .server)
    }

    package func read(_ bytes: UnsafeRawBufferPointer, _ direction: TracedFrame.Direction) {
        switch direction {
        case .sent: sent.read(bytes)
        case .received: received.read(bytes)
        }
    }

    /// Returns the complete frames since the last call: first the received ones, then the sent ones.
    package func takeFrames() -> [TracedFrame] {
        received.takeFrames() + sent.takeFrames()
    }
}

/// Finds the frames in the bytes of one direction. The bytes may be split anywhere.
private struct FrameReader {
    /// The length of a frame header, in bytes (RFC 9113, section 4.1).
    private static let headLength = 9
    /// The length of the client's preface, in bytes (RFC 9113, section 3.4).
    private static let prefaceLength = 24
    /// The maximum number of bytes that are stored of a payload or a header section. Further bytes of a payload are
    /// ignored; a longer section is not parsed.
    private static let maximumKept = 64 * 1024
    /// The maximum number of CONTINUATION frames of a header section. A section with more is not parsed, as in nghttp2.
    private static let maximumContinuations = 8

    private let direction: TracedFrame.Direction
    private let inflater = FieldInflater()
    private var frames: [TracedFrame] = []
    private var awaitsPreface: Bool
    /// The received bytes of a frame header or of the preface.
    private var head: [UInt8] = []
    /// The number of bytes of the payload that are still missing.
    private var rest = 0
    private var kept: [UInt8] = []
    /// The received bytes of a header section; `nil` if the section is too long.
    private var section: [UInt8]? = []
    /// The number of CONTINUATION frames of the section.
    private var continuations = 0

    init(_ direction: TracedFrame.Direction, beginsWithPreface: Bool) {
        self.direction = direction
        awaitsPreface = beginsWithPreface
    }

    mutating func takeFrames() -> [TracedFrame] {
        defer { frames.removeAll(keepingCapacity: true) }
        return frames
    }

    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let headLength = awaitsPreface ? Self.prefaceLength : Self.headLength
            if head.count < headLength {
                let part = bytes.prefix(headLength - head.count)
                head.append(contentsOf: part)
                bytes = bytes.dropFirst(part.count)
                guard head.count == headLength else { return }
                if awaitsPreface {
                    addPreface()
                    continue
                }
                rest = head[..<3].reduce(0) { $0 << 8 | Int($1) }
            }
            let part = bytes.prefix(rest)
            if Kind(rawValue: head[3]) != .data { kept.append(contentsOf: part.prefix(Self.maximumKept - kept.count)) }
            rest -= part.count
            bytes = bytes.dropFirst(part.count)
            if rest == 0 { addFrame() }
        }
    }

    private mutating func addPreface() {
        awaitsPreface = false
        head.removeAll(keepingCapacity: true)
        frames.append(
            TracedFrame(
                direction: direction, type: 0, flags: 0, streamID: 0, length: Self.prefaceLength, content: .preface))
    }

    private mutating func addFrame() {
        let streamID = Int32(bitPattern: head[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF)
        let frame = TracedFrame(
            direction: direction, type: head[3], flags: head[4], streamID: streamID,
            length: head[..<3].reduce(0) { $0 << 8 | Int($1) }, content: content(Kind(rawValue: head[3]), head[4]))
        frames.append(frame)
        head.removeAll(keepingCapacity: true)
        kept.removeAll(keepingCapacity: true)
    }

    // MARK: Contents

    /// The frame types of RFC 9113 section 6.
    private enum Kind: UInt8 {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    // The flags of frames that change how their payload is read (RFC 9113, section 6.2).
    private static let endHeaders: UInt8 = 4
    private static let padded: UInt8 = 8
    private static let hasPriority: UInt8 = 0x20

    private mutating func content(_ kind: Kind?, _ flags: UInt8) -> TracedFrame.Content {
        switch kind {
        case .headers:
            begin(fragment(flags, behind: flags & Self.hasPriority != 0 ? 5 : 0))
            return endSection(flags)
        case .pushPromise:
            begin(fragment(flags, behind: 4))
            return endSection(flags)
        case .continuation:
            goOn()
            return endSection(flags)
        case .settings: return .settings(settings)
        case .resetStream: return kept.count < 4 ? .opaque : .reset(number(at: 0))
        case .windowUpdate: return kept.count < 4 ? .opaque : .windowUpdate(number(at: 0) & 0x7FFF_FFFF)
        case .goAway:
            guard kept.count >= 8 else { return .opaque }
            let last = Int32(bitPattern: number(at: 0) & 0x7FFF_FFFF)
            return .goAway(
                HTTP2GoAway(
                    lastStreamID: last, errorCode: number(at: 4), debugData: Array(kept.dropFirst(8).prefix(4096))))
        case .data, .priority, .ping, nil: return .opaque
        }
    }

    private func number(at offset: Int) -> UInt32 {
        kept[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private var settings: [TracedFrame.Setting] {
        stride(from: 0, to: kept.count / 6 * 6, by: 6).map { offset in
            TracedFrame.Setting(id: UInt16(kept[offset]) << 8 | UInt16(kept[offset + 1]), value: number(at: offset + 2))
        }
    }

    /// Returns the fields in a frame, without padding and without the bytes before the fields.
    private func fragment(_ flags: UInt8, behind count: Int) -> [UInt8] {
        guard flags & Self.padded != 0 else { return Array(kept.dropFirst(count)) }
        let padding = Int(kept.first ?? 0)
        return Array(kept.dropFirst(1 + count).dropLast(padding))
    }

    private mutating func begin(_ fields: [UInt8]) {
        section = fields.count <= Self.maximumKept ? fields : nil
        continuations = 0
    }

    private mutating func goOn() {
        continuations += 1
        let length = (section?.count ?? 0) + kept.count
        if continuations <= Self.maximumContinuations, length <= Self.maximumKept {
            section?.append(contentsOf: kept)
        } else {
            section = nil
        }
    }

    private mutating func endSection(_ flags: UInt8) -> TracedFrame.Content {
        guard flags & Self.endHeaders != 0 else { return .opaque }
        defer {
            section = []
            continuations = 0
        }
        return inflater.fields(in: section).map { .fields($0) } ?? .opaque
    }
}
