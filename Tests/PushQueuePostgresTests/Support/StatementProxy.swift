import Foundation
import NIOConcurrencyHelpers
import PushPlatform
import TestSupport

/// Stands between clients and a server, and reads which statements the clients send. It can cut the connection at some of them.
final class StatementProxy: Sendable {
    /// A place where it cuts, once.
    struct Cut: Sendable, Hashable, CustomStringConvertible {
        var sql: String
        var moment: CuttingProxy.Moment

        var description: String { "\(moment): \(sql.split(separator: "\n").first ?? "")" }
    }

    private struct State {
        var statements: [String] = []
        var cuts: [Cut]
    }

    let port: Int
    private let listener: Int32
    private let state: NIOLockedValueBox<State>

    /// Starts a proxy for any number of connections. The name of the schema is left out of the statements, so that those of two schemas
    /// are the same.
    init(to server: Int, schema: String, cuts: [Cut] = []) throws {
        let state = NIOLockedValueBox(State(cuts: cuts))
        let listener = try LoopbackSocket.listen()
        (self.listener, self.state) = (listener.socket, state)
        port = listener.port
        Thread.detachNewThread {
            while true {
                let client = accept(listener.socket, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { Self.carry(client, to: server, schema, state) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// The statements that were sent, each once, in the order of their first time.
    var statements: [String] { state.withLockedValue { $0.statements } }
    /// Where it did not cut yet.
    var cutsLeft: [Cut] { state.withLockedValue { $0.cuts } }

    private static func carry(
        _ client: Int32, to server: Int, _ schema: String, _ state: NIOLockedValueBox<State>
    ) {
        guard let upstream = try? LoopbackSocket.connect(to: server) else {
            close(client)
            return
        }
        defer {
            close(client)
            close(upstream)
        }
        var stream = FrontendStream()
        var ends = [pollfd(fd: client, events: Int16(POLLIN), revents: 0)]
        ends.append(pollfd(fd: upstream, events: Int16(POLLIN), revents: 0))
        while poll(&ends, 2, -1) > 0 {
            if ends[0].revents != 0 {
                let bytes = LoopbackSocket.read(client)
                if bytes.isEmpty { return }
                let moment = moment(stream.statements(in: bytes).map { $0.replacing(schema, with: "") }, state)
                if moment == .beforeTheServer { return CuttingProxy.end(upstream) }
                LoopbackSocket.write(bytes, to: upstream)
                if moment == .afterTheAnswer {
                    _ = LoopbackSocket.read(upstream)
                    return CuttingProxy.end(upstream)
                }
            }
            if ends[1].revents != 0 {
                let bytes = LoopbackSocket.read(upstream)
                if bytes.isEmpty { return }
                LoopbackSocket.write(bytes, to: client)
            }
        }
    }

    /// Notes statements. Returns when to cut at one of them.
    private static func moment(
        _ statements: [String], _ state: NIOLockedValueBox<State>
    ) -> CuttingProxy.Moment? {
        state.withLockedValue { state in
            for sql in statements where !state.statements.contains(sql) { state.statements.append(sql) }
            guard let place = state.cuts.firstIndex(where: { statements.contains($0.sql) }) else { return nil }
            return state.cuts.remove(at: place).moment
        }
    }
}

/// What a client of PostgreSQL sends: finds the statements that it runs.
private struct FrontendStream {
    private var buffer: [UInt8] = []
    private var hasStarted = false
    private var prepared: [String: String] = [:]

    /// The statements that run with these bytes.
    mutating func statements(in bytes: [UInt8]) -> [String] {
        buffer += bytes
        var found: [String] = []
        while let message = nextMessage() {
            switch message.type {
            case UInt8(ascii: "P"):
                let texts = Self.texts(2, in: message.body)
                prepared[texts[0]] = texts[1]
            case UInt8(ascii: "B"): found.append(prepared[Self.texts(2, in: message.body)[1]] ?? "")
            case UInt8(ascii: "Q"): found.append(Self.texts(1, in: message.body)[0])
            default: break
            }
        }
        return found
    }

    private mutating func nextMessage() -> (type: UInt8, body: ArraySlice<UInt8>)? {
        // The first message has no type.
        let start = hasStarted ? 1 : 0
        guard buffer.count >= start + 4 else { return nil }
        let length = buffer[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        guard buffer.count >= start + length else { return nil }
        let type = hasStarted ? buffer[0] : 0
        let body = Array(buffer[(start + 4)..<(start + length)])[...]
        buffer.removeFirst(start + length)
        hasStarted = true
        return (type, body)
    }

    /// The first texts of a message, each ended by a zero byte.
    private static func texts(_ count: Int, in body: ArraySlice<UInt8>) -> [String] {
        let parts = body.split(separator: 0, maxSplits: count, omittingEmptySubsequences: false)
        return (0..<count).map { $0 < parts.count ? String(decoding: parts[$0], as: UTF8.self) : "" }
    }
}
