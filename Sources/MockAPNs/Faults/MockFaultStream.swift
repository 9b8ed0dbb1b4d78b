extension MockFault {
    /// The stream of a frame, or the last stream of a GOAWAY.
    public enum Stream: Sendable, Hashable {
        /// The connection as a whole, or no stream: 0.
        case connection
        /// The stream of the request. Only at moments with a request.
        case this
        /// The stream before the one of the request. Only at moments with a request.
        case below
        case newest
        /// The next stream that the client would open.
        case idle
        /// The highest possible stream, for the first GOAWAY of a graceful shutdown.
        case highest
        /// The stream with this id, 0 to 2 147 483 647. In a GOAWAY, an odd number or 0.
        case id(Int32)

        /// No stream, as the last one of a GOAWAY.
        public static var none: Stream { .connection }

        var needsRequest: Bool { self == .this || self == .below }

        /// The id on the wire.
        ///
        /// - Parameters:
        ///   - streamID: The stream of the request; 0 without one.
        ///   - newest: The newest stream of the client.
        /// - Returns: The id.
        func id(this streamID: Int32, newest: Int32) -> Int32 {
            switch self {
            case .connection: 0
            case .this: streamID
            case .below: max(0, streamID - 2)
            case .newest: newest
            case .idle: min(newest, .max - 2) + 2
            case .highest: .max
            case .id(let id): id
            }
        }
    }
}

/// The names that streams have in a member of a fault.
protocol FaultStreamNames {
    /// The member, for errors.
    static var what: String { get }
    static var all: [(stream: MockFault.Stream, name: String)] { get }
}

/// `stream` of a frame.
enum FrameStreamNames: FaultStreamNames {
    static let what = "stream of a frame"
    static let all: [(stream: MockFault.Stream, name: String)] = [
        (.connection, "connection"), (.this, "this"), (.idle, "idle"),
    ]
}

/// `last_stream` of a GOAWAY.
enum LastStreamNames: FaultStreamNames {
    static let what = "last stream"
    static let all: [(stream: MockFault.Stream, name: String)] = [
        (.newest, "newest"), (.this, "this"), (.below, "below"), (.none, "none"), (.highest, "highest"),
    ]
}

/// `of` of a window.
enum WindowNames: FaultStreamNames {
    static let what = "window"
    static let all: [(stream: MockFault.Stream, name: String)] = [(.this, "stream"), (.connection, "connection")]
}

/// A stream in JSON: a name or an id.
struct NamedStream<Names: FaultStreamNames>: Codable {
    let stream: MockFault.Stream

    init(_ stream: MockFault.Stream) {
        self.stream = stream
    }

    /// - Throws: ``MockFaultError`` if the name is unknown, `DecodingError` if the type is wrong.
    init(from decoder: any Decoder) throws {
        guard let name = try? String(from: decoder) else {
            stream = .id(try Int32(from: decoder))
            return
        }
        guard let found = Names.all.first(where: { $0.name == name }) else {
            let known = Names.all.map { "\"\($0.name)\"" }.joined(separator: ", ")
            throw MockFaultError.malformed("Unknown \(Names.what) \(Finding.quote(name)). Use \(known) or an id.")
        }
        stream = found.stream
    }

    func encode(to encoder: any Encoder) throws {
        if case .id(let id) = stream { return try id.encode(to: encoder) }
        try (Names.all.first { $0.stream == stream }?.name).encode(to: encoder)
    }
}

/// A header field as an array of name and value: names can be repeated, and the order matters.
struct FaultField: Codable {
    let field: MockRequest.Field

    init(_ field: MockRequest.Field) {
        self.field = field
    }

    /// - Throws: ``MockFaultError`` if the array does not have two strings, `DecodingError` if a type is wrong.
    init(from decoder: any Decoder) throws {
        let texts = try [String](from: decoder)
        guard texts.count == 2 else {
            throw MockFaultError.malformed("A header field must be a list of two strings, its name and its value.")
        }
        field = MockRequest.Field(texts[0], texts[1])
    }

    func encode(to encoder: any Encoder) throws { try [field.name, field.value].encode(to: encoder) }
}
