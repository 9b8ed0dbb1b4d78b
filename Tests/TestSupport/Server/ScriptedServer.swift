import Foundation
package import MockAPNs
import NIOCore
import NIOPosix
package import PushWire

/// A server on a port of its own whose every move is ordered by a test, and which remembers what came.
///
/// It ends, and its connections with it, when the test lets go of it.
package final class ScriptedServer: Sendable {
    package let port: Int
    package let identity: ServerIdentity

    private let listener: any Channel
    private let accepted: Watched<[ServedConnection]>

    private init(identity: ServerIdentity, listener: any Channel, accepted: Watched<[ServedConnection]>) {
        port = listener.localAddress?.port ?? 0
        self.identity = identity
        self.listener = listener
        self.accepted = accepted
    }

    package static func start(
        _ script: ServerScript = ServerScript(), identity: ServerIdentity? = nil
    ) async throws -> ScriptedServer {
        let identity = try identity ?? ServerIdentity(.ofThisProcess)
        let tls = try TLSContext(
            certificatePEM: identity.certificatePEM, privateKeyPEM: identity.keyPEM, speaksHTTP2: script.speaksHTTP2,
            acceptsOthers: script.acceptsOthers, refusesExpiredClientCertificates: script.refusesExpired)
        let accepted = Watched<[ServedConnection]>([])
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try serve(channel, script, tls, accepted) }
            }
        if let size = script.receiveBuffer {
            _ = bootstrap.serverChannelOption(.socketOption(.so_rcvbuf), value: size)
        }
        let listener = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        return ScriptedServer(identity: identity, listener: listener, accepted: accepted)
    }

    private static func serve(
        _ channel: any Channel, _ script: ServerScript, _ tls: TLSContext, _ accepted: Watched<[ServedConnection]>
    ) throws {
        let wire = HTTP2OverTLS(
            tls: try TLSSession(context: tls),
            http2: try HTTP2Session(role: .server, limits: .init(settings: script.settings)))
        var added: ScriptedHandler?
        accepted.change { connections in
            let handler = ScriptedHandler(number: connections.count + 1, wire: wire, script: script)
            connections.append(ServedConnection(handler: handler, channel: channel))
            added = handler
        }
        if let added { try channel.pipeline.syncOperations.addHandler(added) }
    }

    deinit {
        listener.close(promise: nil)
        for connection in accepted.value { connection.end() }
    }

    /// Nobody can connect any more; connections that are there stay.
    package func stopListening() async throws {
        try await listener.close()
    }

    /// The connection with a number, from 1, as soon as it is there.
    package func connection(_ number: Int) async throws -> ServedConnection {
        let connections = try await accepted.wait(for: "connection \(number)") { $0.count >= number }
        return connections[number - 1]
    }

    /// All connections so far.
    package var connections: [ServedConnection] { accepted.value }
}

/// One connection of a ``ScriptedServer``, from any thread.
package final class ServedConnection: Sendable {
    package let record: Watched<ServerRecord>

    private let handler: NIOLoopBound<ScriptedHandler>
    private let channel: any Channel

    fileprivate init(handler: ScriptedHandler, channel: any Channel) {
        record = handler.record
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        self.channel = channel
    }

    /// Does these things, one after the other and all in one go, and returns when they are done.
    package func perform(_ steps: ServerStep...) async throws {
        try await channel.eventLoop.submit { [handler] in handler.value.perform(steps) }.get()
    }

    /// The request with a number, from 1, as soon as it is complete.
    package func request(_ number: Int) async throws -> ServedRequest {
        let record = try await record.wait(for: "request \(number)") { $0.requests.count >= number }
        return record.requests[number - 1]
    }

    /// Answers the streams that are open, the oldest first.
    package func answerOpen(_ status: Int, maximum: Int = .max) async throws {
        for streamID in record.value.open.sorted().prefix(maximum) { try await perform(.answer(streamID, status)) }
    }

    /// Waits until the client has done all that what was sent so far makes it do.
    ///
    /// Whatever a read made the client send has left it before it can see the next PING.
    package func settle() async throws {
        for _ in 0..<2 {
            let payload = UInt64.random(in: 0...UInt64.max)
            try await perform(.ping(payload))
            try await record.wait(for: "answer to a PING") { $0.pingsAnswered.contains(payload) }
        }
    }

    fileprivate func end() {
        channel.close(promise: nil)
    }
}

extension HTTP2Settings {
    package static func streams(_ count: UInt32) -> HTTP2Settings {
        HTTP2Settings(maxConcurrentStreams: count)
    }
}

/// Who a server says it is, and whom one must trust to believe it.
package struct ServerIdentity: Sendable {
    package var certificatePEM: [UInt8]
    package var keyPEM: [UInt8]
    package var authorityPEM: [UInt8]

    package init(_ credentials: MockCredentials) {
        certificatePEM = credentials.server.certificate
        keyPEM = credentials.server.key
        authorityPEM = Array(credentials.authority.utf8)
    }

    /// A certificate for these names only.
    package init(names: [String]) throws {
        let now = Int64(Date().timeIntervalSince1970)
        let authority = try CertificateAuthority.make(commonName: "test", now: now)
        let server = try authority.issueServerCertificate(names: names, validDays: 1, now: now)
        certificatePEM = server.certificatePEM
        keyPEM = server.privateKeyPEM
        authorityPEM = authority.certificatePEM
    }
}

extension MockCredentials {
    private static let shared = Result { try MockCredentials.inMemory() }

    /// One set for all servers of a test run: keys take their time.
    package static var ofThisProcess: MockCredentials {
        get throws { try shared.get() }
    }
}
