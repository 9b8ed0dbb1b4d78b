import PushWire

/// A client and a server wired together in memory: bytes travel when the test says so.
final class SessionPair {
    let client: Endpoint
    let server: Endpoint

    /// Makes the pair; no byte has travelled yet.
    init(
        client clientLimits: HTTP2Session.Limits = HTTP2Session.Limits(),
        server serverLimits: HTTP2Session.Limits = HTTP2Session.Limits()
    ) throws {
        client = try Endpoint(.client, limits: clientLimits)
        server = try Endpoint(.server, limits: serverLimits)
    }

    /// Makes the pair and lets both sides announce their settings.
    static func connected(
        client: HTTP2Session.Limits = HTTP2Session.Limits(),
        server: HTTP2Session.Limits = HTTP2Session.Limits()
    ) throws -> SessionPair {
        let pair = try SessionPair(client: client, server: server)
        try pair.exchange()
        return pair
    }

    /// A pair whose server allows this number of streams.
    static func connected(maxConcurrentStreams: UInt32) throws -> SessionPair {
        try connected(
            server: HTTP2Session.Limits(settings: HTTP2Settings(maxConcurrentStreams: maxConcurrentStreams)))
    }

    func clientToServer() throws {
        try server.receive(bytes: client.send())
    }

    func serverToClient() throws {
        try client.receive(bytes: server.send())
    }

    /// Lets bytes travel both ways until neither side has more to say.
    func exchange() throws {
        while true {
            let fromClient = try client.send()
            let fromServer = try server.send()
            if fromClient.isEmpty, fromServer.isEmpty { return }
            try server.receive(bytes: fromClient)
            try client.receive(bytes: fromServer)
        }
    }

    /// Answers every request that has arrived and was not answered yet.
    func answerAll(_ headers: HeaderBlock = .response(200), body: [UInt8] = []) throws {
        for request in server.requests {
            try server.session.submitResponse(headers, body: body, on: request.streamID)
        }
    }
}
