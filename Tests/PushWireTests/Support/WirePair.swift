import PushWire
import TestSupport
import Testing

/// A client and a server of HTTP/2 inside TLS, wired together in memory.
final class WirePair {
    /// One record as it left a side.
    struct Sent {
        var opened: [Int]
        var bytes: [UInt8]
    }

    let client: HTTP2OverTLS
    let server: HTTP2OverTLS

    init(
        certificate: ServerCertificate, trusting trusted: ServerCertificate? = nil, speaksHTTP2: Bool = true,
        requiresALPN: Bool = true, maxConcurrentStreams: UInt32 = 1000
    ) throws {
        let limits = HTTP2Session.Limits(settings: HTTP2Settings(maxConcurrentStreams: maxConcurrentStreams))
        client = try HTTP2OverTLS(
            tls: (trusted ?? certificate).clientSession(requiresALPN: requiresALPN), http2: HTTP2Session(role: .client))
        server = try HTTP2OverTLS(
            tls: certificate.serverSession(speaksHTTP2: speaksHTTP2, acceptsOthers: !requiresALPN),
            http2: HTTP2Session(role: .server, limits: limits))
    }

    static func connected() throws -> WirePair {
        let pair = try WirePair(certificate: ServerCertificate())
        try pair.client.start()
        try pair.exchange()
        return pair
    }

    /// Moves bytes both ways, in pieces of this size, until neither side has more to send. Returns the client's
    /// records.
    @discardableResult
    func exchange(bytesAtATime size: Int = .max) throws -> [Sent] {
        var sentByClient: [Sent] = []
        while true {
            let fromClient = try client.sendAll()
            try server.receive(fromClient.flatMap(\.bytes), bytesAtATime: size)
            let fromServer = try server.sendAll()
            try client.receive(fromServer.flatMap(\.bytes), bytesAtATime: size)
            if fromClient.isEmpty, fromServer.isEmpty { return sentByClient }
            sentByClient += fromClient
        }
    }
}

extension HTTP2OverTLS {
    /// Every record that is ready.
    func sendAll() throws(Failure) -> [WirePair.Sent] {
        var sent: [WirePair.Sent] = []
        while let next = try nextRecord({ WirePair.Sent(opened: $0, bytes: Array($1)) }) { sent.append(next) }
        return sent
    }

    func receive(_ bytes: [UInt8], bytesAtATime size: Int = .max) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            var failure: Failure?
            piece.withUnsafeBytes { piece in
                do throws(Failure) { try receive(piece) } catch { failure = error }
            }
            if let failure { throw failure }
        }
    }

    func takeEvents() -> [HTTP2Event] {
        var events: [HTTP2Event] = []
        http2.takeEvents(into: &events)
        return events
    }

    func open(_ request: HeaderBlock = .request(), body: [UInt8] = [], tag: Int) throws -> Int32 {
        try #require(try http2.submit(OutgoingFields(request), body: body, tag: tag))
    }
}
