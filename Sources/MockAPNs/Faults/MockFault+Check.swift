import APNSVocabulary
import PushPlatform

extension MockFault {
    func check() throws(MockFaultError) {
        // Not Character: one can have any number of combining marks, and the names of ended faults are kept.
        try within(
            "name", body: try require(name.unicodeScalars.count <= 200, "name", "at most 200 characters long"))
        try within("times", body: try require(times ?? 1 >= 1, "times", "at least 1 (leave it out for no limit)"))
        try within("steps", body: try require((1...100).contains(steps.count), "steps", "1 to 100 in number"))
        try within("when", body: try checkMatcher())
        for (index, step) in steps.enumerated() {
            try within("steps", String(index), step.key.rawValue, body: try step.check(at: moment))
        }
        if let end = steps.firstIndex(where: { $0.key == .closeConnection }), end < steps.count - 1 {
            throw MockFaultError(.impossibleHere, "Nothing can follow \"close_connection\". Make it the last step.")
        }
    }

    private func checkMatcher() throws(MockFaultError) {
        if !moment.hasRequest, when.concernsRequests {
            throw MockFaultError(
                .impossibleHere,
                """
                At "\(moment.rawValue)" there is no request yet: use only connection, match and probability \
                in "when".
                """)
        }
        if moment == .requestHeaders, when.request != nil {
            throw MockFaultError(
                .impossibleHere,
                "At \"request_headers\" requests aren't counted yet: use request_on_connection or match.")
        }
        if moment == .requestHeaders, when.concernsBody {
            throw MockFaultError(
                .impossibleHere,
                "At \"request_headers\" there is no body yet: payload and verdict aren't possible in \"when\".")
        }
        try require(when.headers?.count ?? 0 <= 20, "headers", "at most 20 in number", at: "headers")
        try require(when.payload?.count ?? 0 <= 20, "payload", "at most 20 paths", at: "payload")
        try require(
            when.payload?.keys.allSatisfy { !$0.isEmpty } ?? true, "payload", "paths such as aps.category",
            at: "payload")
        try require(
            when.verdict.map(MockFault.Matcher.isVerdict) ?? true, "verdict",
            "accepted, rejected, a status or a reason", at: "verdict")
        try require((0...1).contains(when.probability ?? 1), "probability", "from 0 to 1", at: "probability")
        let ordinals = [
            ("request", when.request), ("request_on_connection", when.requestOnConnection),
            ("connection", when.connection), ("match", when.match),
        ]
        for (name, ordinal) in ordinals {
            guard let ordinal else { continue }
            try require(
                ordinal.from >= 1 && ordinal.step >= 1 && ordinal.through ?? .max >= ordinal.from, "range",
                "numbers from 1, with the last not before the first", at: name)
        }
    }
}

extension MockFault.Matcher {
    fileprivate static func isVerdict(_ name: String) -> Bool {
        if let status = Int(name) { return (200..<600).contains(status) }
        return ["accepted", "rejected"].contains(name) || RejectionReason(rawValue: name).explanation != nil
    }
}

/// Adds to an error which member it is about.
private func within(
    _ path: String..., body: @autoclosure () throws(MockFaultError) -> Void
) throws(MockFaultError) {
    do throws(MockFaultError) { try body() } catch {
        var error = error
        error.path = path + error.path
        throw error
    }
}

private func require(
    _ isFine: Bool, _ what: String, _ rule: String, at member: String? = nil
) throws(MockFaultError) {
    guard !isFine else { return }
    var error = MockFaultError(.outOfRange, "A fault's \(what) must be \(rule).")
    error.path = member.map { [$0] } ?? []
    throw error
}

extension MockFault.Moment {
    var hasRequest: Bool { self == .request || self == .requestHeaders }
}

extension MockFault.Step {
    fileprivate func check(at moment: MockFault.Moment) throws(MockFaultError) {
        guard isPossible(at: moment) else {
            throw MockFaultError(
                .impossibleHere, "The step \"\(key.rawValue)\" isn't possible at \"\(moment.rawValue)\".")
        }
        try checkValues()
        guard case .repeated(let steps, let times) = self else { return }
        try require((1...1_000_000).contains(times), "repeat", "1 to 1,000,000 times", at: "times")
        try require((1...100).contains(steps.count), "steps", "1 to 100 in number", at: "steps")
        for (index, step) in steps.enumerated() {
            try within("steps", String(index), step.key.rawValue, body: try step.checkRepeated(at: moment))
        }
        // Cannot overflow: the size of each step has been checked.
        let bytes = steps.reduce(0) { $0 + $1.byteCount } * times
        try require(bytes <= 100_000_000, "repeat", "at most 100 MB in total")
    }

    private func checkRepeated(at moment: MockFault.Moment) throws(MockFaultError) {
        guard !Self.notRepeated.contains(key) else {
            throw MockFaultError(.impossibleHere, "The step \"\(key.rawValue)\" isn't possible in a \"repeat\".")
        }
        try check(at: moment)
    }

    /// Steps that cannot be repeated: doing them once is enough.
    private static let notRepeated: Set<Key> = [.repeated, .closeConnection, .judge, .tls, .trickle]

    /// The number of bytes that the step sends, for the steps that can send many.
    private var byteCount: Int {
        switch self {
        case .frame(let frame): frame.payload.count + 9
        case .bytes(let bytes): bytes.count
        case .goAway(_, _, let text): text.utf8.count + 17
        default: 0
        }
    }

    private func isPossible(at moment: MockFault.Moment) -> Bool {
        switch self {
        case .wait, .noAnswer, .bytes, .trickle, .stopReading, .fallSilent, .repeated: true
        case .judge, .addFields: moment == .request
        case .answer: moment.hasRequest
        case .resetStream(_, let afterHeaders): moment == .request || moment.hasRequest && !afterHeaders
        case .settings, .withhold: moment != .connectionAccepted
        case .openWindow(let window, _): moment.hasRequest || moment == .connectionEstablished && window == .connection
        case .frame(let frame):
            moment.hasRequest || moment == .connectionEstablished && !frame.stream.needsRequest
        case .tls: moment == .connectionAccepted
        case .closeConnection(let how):
            moment != .connectionAccepted || how != .tlsClosed && how != .tlsAlert
        case .goAway(let lastStream, _, _):
            lastStream.needsRequest ? moment.hasRequest : moment != .connectionAccepted
        }
    }

    private func checkValues() throws(MockFaultError) {
        switch self {
        case .judge, .noAnswer, .resetStream, .closeConnection, .withhold, .stopReading, .fallSilent, .tls, .repeated:
            break
        case .wait(let delay): try delay.check()
        case .answer(let answer): try answer.check()
        case .addFields(let fields): try MockFault.Answer.check(fields, "added fields")
        case .goAway(let lastStream, _, let text):
            try require(text.utf8.count <= 4096, "text of GOAWAY", "at most 4096 bytes long", at: "text")
            if case .id(let id) = lastStream {
                try require(id == 0 || (id > 0 && id % 2 == 1), "last stream", "an odd number or 0", at: "last_stream")
            }
        case .settings(let settings):
            try require(
                settings.initialWindowSize ?? 0 <= 0x7FFF_FFFF, "initial window size", "at most 2147483647",
                at: "initial_window_size")
            try require(
                (16_384...16_777_215).contains(settings.maxFrameSize ?? 16_384), "max frame size", "16384 to 16777215",
                at: "max_frame_size")
        case .openWindow(let window, let increment):
            try require(
                [.this, .connection].contains(window), "window", "that of the stream or of the connection", at: "of")
            try require((1...0x7FFF_FFFF).contains(increment), "window", "opened by 1 to 2147483647", at: "by")
        case .frame(let frame): try frame.check()
        case .bytes(let bytes): try bytes.check("bytes")
        case .trickle(let bytes, let pause):
            try require((1...65_536).contains(bytes), "trickle", "of 1 to 65,536 bytes", at: "bytes")
            try require(
                pause >= .milliseconds(1) && pause <= .seconds(60), "trickle", "every 1 to 60,000 ms",
                at: "every_ms")
        }
    }
}

extension MockFault.Delay {
    fileprivate func check() throws(MockFaultError) {
        let (shortest, longest) =
            switch self {
            case .exactly(let time): (time, time)
            case .between(let shortest, let longest): (shortest, longest)
            case .mean(let mean): (.zero, mean)
            case .quantiles(let median, let p99): (median, p99)
            }
        try require(
            shortest >= .zero && longest >= shortest && longest <= Self.longest, "wait",
            "0 to 3,600,000 ms, with the longest not below the shortest")
        if case .quantiles(let median, _) = self { try require(median > .zero, "median wait", "more than 0 ms") }
    }
}

extension MockFault.Bytes {
    fileprivate func check(_ what: String) throws(MockFaultError) {
        try require((0...Self.maximum).contains(count), what, "at most 1 MiB long")
    }
}

extension MockFault.Frame {
    fileprivate func check() throws(MockFaultError) {
        try require(payload.count <= MockFault.Bytes.maximum, "payload", "at most 1 MiB long", at: "payload")
        if case .bytes(let bytes) = payload {
            try within("payload", body: try bytes.check("payload"))
        }
        try require(
            (0...0xFF_FFFF).contains(declaredLength ?? 0), "declared length", "0 to 16777215", at: "declared_length")
        if case .id(let id) = stream { try require(id >= 0, "stream", "0 to 2147483647", at: "stream") }
    }
}

extension MockFault.Answer {
    fileprivate func check() throws(MockFaultError) {
        try require((200...599).contains(status), "status", "200 to 599", at: "status")
        if let body { try within("body", body: try body.check("body")) }
        try within("headers", body: try Self.check(headers, "headers"))
        try within("trailers", body: try Self.check(trailers, "trailers"))
        try require(leftOut.count <= 50, "left-out headers", "at most 50 in number", at: "left_out")
        try require(fields?.count ?? 0 <= 2000, "fields", "at most 2000 in number", at: "fields")
        try require(
            fields?.allSatisfy { $0.name.utf8.count <= 60_000 && $0.value.utf8.count <= 60_000 } ?? true, "fields",
            "at most 60,000 bytes long each", at: "fields")
        try require(
            interim.count <= 100 && interim.allSatisfy((100...199).contains), "interim answers", "100 to 199",
            at: "interim")
        try require((1...16_384).contains(pieceBytes ?? 1), "pieces", "1 to 16,384 bytes long", at: "piece_bytes")
        if let padding {
            try require(
                (1...100_000).contains(padding.count) && (0...60_000).contains(padding.bytes)
                    && padding.count * padding.bytes <= 4_000_000, "padding",
                "1 to 100,000 fields of up to 60,000 bytes, at most 4 MB in total", at: "padding")
        }
    }

    fileprivate static func check(_ headers: [String: String], _ what: String) throws(MockFaultError) {
        try require(headers.count <= 50, what, "at most 50 in number")
        for (name, value) in headers {
            try require(
                isName(name), "names in \(what)", "1 to 100 lower-case letters, digits, '-' and '_'", at: name)
            try require(
                value.utf8.count <= 8000 && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "values in \(what)",
                "at most 8000 bytes long and without control characters", at: name)
        }
    }

    private static func isName(_ name: String) -> Bool {
        (1...100).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte.isASCIIDigit
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }
}
