internal import NIOCore
internal import NIOPosix
internal import PushWire

/// Shows that a mock listens at an address: only it has the key of a certificate from its authority.
package enum MockProof {
    /// Why there is no proof.
    package enum Failure: Error, Equatable, Sendable {
        /// Nothing accepts a connection.
        case nobodyListens
        /// Something else listens, or does not answer in time. The text says what it did.
        case stranger(String)
    }

    private static let patience = TimeAmount.seconds(2)

    /// Makes a TLS connection and closes it. Nothing is sent on it.
    ///
    /// - Parameters:
    ///   - host: The host of the mock.
    ///   - port: Its port.
    ///   - authorityPEM: Its authority.
    /// - Throws: ``Failure``.
    package static func prove(host: String, port: Int, authorityPEM: [UInt8]) async throws(Failure) {
        do throws(Failure) {
            try await shakeHands(host, port, named: host, authorityPEM)
        } catch .stranger(let why) {
            // A mock that listens on an address of its own has a certificate for localhost all the same.
            guard host != "localhost" else { throw .stranger(why) }
            try await shakeHands(host, port, named: "localhost", authorityPEM)
        }
    }

    private static func shakeHands(
        _ host: String, _ port: Int, named name: String, _ authorityPEM: [UInt8]
    ) async throws(Failure) {
        let session: TLSSession
        do throws(TLSError) {
            let context = try TLSContext.client(trust: .authorities(pem: authorityPEM))
            session = try TLSSession(context: context, hostName: name)
        } catch {
            throw .stranger(error.detail)
        }
        let group = MultiThreadedEventLoopGroup.singleton
        let loop = group.next()
        let proof = loop.makePromise(of: Void.self)
        let bound = NIOLoopBoundBox.makeBoxSendingValue(session, eventLoop: loop)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: loop)
                .connectTimeout(patience)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(HandshakeHandler(bound.value, proof))
                    }
                }
                .connect(host: host, port: port).get()
        } catch {
            proof.fail(Failure.nobodyListens)
            throw .nobodyListens
        }
        loop.scheduleTask(in: patience) { proof.fail(Failure.stranger("it does not answer")) }
        do {
            try await proof.futureResult.get()
            try? await channel.close()
        } catch {
            try? await channel.close()
            throw (error as? Failure) ?? .stranger("\(error)")
        }
    }
}

/// Goes through a handshake as a client, and says how it ended.
private final class HandshakeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let tls: TLSSession
    private let proof: EventLoopPromise<Void>

    init(_ tls: TLSSession, _ proof: EventLoopPromise<Void>) {
        self.tls = tls
        self.proof = proof
    }

    func channelActive(context: ChannelHandlerContext) {
        goOn(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unwrapInboundIn(data).withUnsafeReadableBytes(tls.receive)
        goOn(context)
    }

    private func goOn(_ context: ChannelHandlerContext) {
        do throws(TLSError) {
            try tls.handshake()
            if tls.isEstablished { tls.close() }
        } catch {
            proof.fail(MockProof.Failure.stranger(error.detail))
        }
        if tls.hasCiphertext {
            let bytes = tls.takeCiphertext { ByteBuffer(bytes: $0) }
            let isEstablished = tls.isEstablished
            let proof = proof
            context.writeAndFlush(wrapOutboundOut(bytes)).whenComplete { _ in if isEstablished { proof.succeed() } }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        proof.fail(MockProof.Failure.stranger("it closes the connection"))
    }
}
