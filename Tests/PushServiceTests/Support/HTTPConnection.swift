import NIOCore
import NIOPosix
import NIOSSL
import PushJSON

/// An answer as it was read from the socket.
struct HTTPAnswer: Sendable {
    var status = 0
    /// The fields, with names in lower case.
    var headers: [String: String] = [:]
    var body: [UInt8] = []

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: PushJSONValue? { PushJSONValue(json: body) }

    /// A member, also of a member: `answer["outcome", "kind"]`.
    subscript(path: String...) -> PushJSONValue? { path.reduce(json) { $0?[$1] } }

    func string(_ path: String...) -> String? {
        guard case .string(let text)? = path.reduce(json, { $0?[$1] }) else { return nil }
        return text
    }

    func items(_ name: String = "items") -> [PushJSONValue] {
        guard case .array(let items)? = json?[name] else { return [] }
        return items
    }

    /// The lines of a stream.
    var lines: [PushJSONValue] { text.split(separator: "\n").compactMap { PushJSONValue(json: Array($0.utf8)) } }
}

extension PushJSONValue {
    func string(_ name: String) -> String? {
        guard case .string(let text)? = self[name] else { return nil }
        return text
    }
}

/// A connection to the service, which reads and writes bytes as the test wants.
final class HTTPConnection: Sendable {
    private let channel: any Channel
    private let received: ReceivedBytes

    private init(channel: any Channel, received: ReceivedBytes) {
        (self.channel, self.received) = (channel, received)
    }

    /// Connects. Without reading, what the service sends stays in the sockets.
    static func open(port: Int, reads: Bool = true, trusting authority: String? = nil) async throws -> HTTPConnection {
        let tls = try authority.map { path in
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .file(path)
            return try NIOSSLContext(configuration: configuration)
        }
        let received = ReceivedBytes()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(ChannelOptions.autoRead, value: reads)
            .channelOption(ChannelOptions.socketOption(.so_rcvbuf), value: reads ? 1 << 18 : 4096)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
                    }
                    try channel.pipeline.syncOperations.addHandler(ReceivingHandler(received))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return HTTPConnection(channel: channel, received: received)
    }

    func close() { channel.close(promise: nil) }

    /// Sends nothing more, and still reads.
    func finishSending() async throws { try await channel.close(mode: .output).get() }

    /// Begins to read, if it was opened without reading.
    func beginReading() async throws { try await channel.setOption(ChannelOptions.autoRead, value: true).get() }

    /// Sends bytes.
    func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text)).get()
    }

    /// Reads bytes until the service closes the connection.
    func readToEnd() async -> String {
        var all: [UInt8] = []
        while let more = await received.next() { all += more }
        return String(decoding: all, as: UTF8.self)
    }

    /// Reads bytes until they contain a text.
    func read(until text: String) async -> String {
        var all = ""
        while !all.contains(text), let more = await received.next() { all += String(decoding: more, as: UTF8.self) }
        return all
    }

    /// Reads bytes until they contain a text, and behind it another one.
    func read(until text: String, then end: String) async -> String {
        var all = await read(until: text)
        while let found = all.firstRange(of: text), !all[found.upperBound...].contains(end),
            let more = await received.next()
        {
            all += String(decoding: more, as: UTF8.self)
        }
        return all
    }

    /// Begins a POST whose body comes in chunks, or has a length, and sends the first bytes of it.
    func begin(
        _ path: String, _ body: String = "", key: String, length: Int? = nil, type: String = "application/x-ndjson"
    ) async throws {
        let size = length.map { "content-length: \($0)" } ?? "transfer-encoding: chunked"
        try await send(
            "POST \(path) HTTP/1.1\r\nhost: localhost\r\nauthorization: bearer \(key)\r\n"
                + "content-type: \(type)\r\n\(size)\r\n\r\n\(body)")
    }

    /// Sends a request and reads its answer.
    func ask(
        _ method: String, _ path: String, _ body: String? = nil, key: String?, type: String = "application/json",
        headers: [(String, String)] = []
    ) async throws -> HTTPAnswer {
        var head = "\(method) \(path) HTTP/1.1\r\n"
        if !headers.contains(where: { $0.0 == "host" }) { head += "host: localhost\r\n" }
        if let key { head += "authorization: bearer \(key)\r\n" }
        if method != "GET", method != "HEAD", !headers.contains(where: { $0.0 == "content-type" }) {
            head += "content-type: \(type)\r\n"
        }
        if let body { head += "content-length: \(body.utf8.count)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        try await send(head + "\r\n" + (body ?? ""))
        return await answer(hasBody: method != "HEAD")
    }

    /// Reads an answer.
    func answer(hasBody: Bool = true) async -> HTTPAnswer {
        var reader = AnswerReader(hasBody: hasBody)
        while !reader.isComplete, let more = await received.next() {
            if let rest = reader.take(more) { received.putBack(rest) }
        }
        return reader.answer
    }
}

/// Puts an answer together.
private struct AnswerReader {
    var answer = HTTPAnswer()
    var isComplete = false
    let hasBody: Bool
    private var bytes: [UInt8] = []
    private var hasHead = false

    init(hasBody: Bool) {
        self.hasBody = hasBody
    }

    /// Takes bytes, and returns those after the answer.
    mutating func take(_ more: [UInt8]) -> [UInt8]? {
        bytes += more
        if !hasHead, !readHead() { return nil }
        if !hasBody || [204, 304].contains(answer.status) {
            isComplete = true
        } else if let length = answer.headers["content-length"].flatMap({ Int($0) }) {
            guard bytes.count >= length else { return nil }
            answer.body = Array(bytes.prefix(length))
            bytes.removeFirst(length)
            isComplete = true
        } else {
            readChunks()
        }
        return isComplete && !bytes.isEmpty ? bytes : nil
    }

    private mutating func readHead() -> Bool {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        answer.status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            answer.headers[parts[0].lowercased()] = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
        }
        bytes.removeSubrange(..<end.upperBound)
        hasHead = true
        return true
    }

    private mutating func readChunks() {
        while let end = bytes.firstRange(of: Array("\r\n".utf8)) {
            let size = Int(String(decoding: bytes[..<end.lowerBound], as: UTF8.self), radix: 16) ?? 0
            guard bytes.count >= end.upperBound + size + 2 else { return }
            answer.body += bytes[end.upperBound..<end.upperBound + size]
            bytes.removeSubrange(..<(end.upperBound + size + 2))
            if size == 0 {
                isComplete = true
                return
            }
        }
    }
}
