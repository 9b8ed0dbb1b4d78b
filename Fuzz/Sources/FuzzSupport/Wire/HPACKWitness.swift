@testable package import PushWire

/// A peer that reads only the header fields of a session, with nghttp2. It must be able to read all of them, and they must be
/// the fields that were sent, whatever else happens on the connection.
package final class HPACKWitness {
    private let session: HTTP2Session
    private var events: [HTTP2Event] = []

    /// - Parameter role: The role of the session that is watched.
    package init(of role: HTTP2Session.Role) {
        var limits = HTTP2Session.Limits()
        limits.headerBytes = 1 << 20
        session = expected { try HTTP2Session(role: role == .client ? .server : .client, limits: limits) }
        let settings = Frame(type: Frame.Kind.settings.rawValue).bytes
        feed(role == .client ? Frame.preface + settings : settings)
    }

    /// The fields of a request.
    package func request(_ headers: Frame) -> HeaderBlock? {
        feed(alone(headers, on: headers.streamID))
        for case .requestReceived(let request) in events {
            session.reset(request.streamID)
            flush()
            return request.headers
        }
        return nil
    }

    /// The status and the fields of an answer.
    package func answer(_ headers: Frame) -> (status: Int?, headers: HeaderBlock)? {
        let fields = OutgoingFields([
            (":method", "GET"), (":scheme", "https"), (":authority", "a"), (":path", "/"),
        ])
        let request = KeptRequest(fields)
        let id = expected {
            try session.submitRequest(request.outgoing, owner: request, credential: nil, tag: 0)
        }
        guard let id else { return nil }
        flush()
        feed(alone(headers, on: UInt32(id)))
        for case .streamEnded(let end) in events { return (end.response.status, end.response.headers) }
        return nil
    }

    /// Frames with these fields and without a body, in a form that this peer can read.
    private func alone(_ headers: Frame, on streamID: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = headers.payload[...]
        repeat {
            let part = rest.prefix(16_384)
            rest = rest.dropFirst(part.count)
            let kind: Frame.Kind = bytes.isEmpty ? .headers : .continuation
            let flags = (bytes.isEmpty ? Frame.endStream : 0) | (rest.isEmpty ? Frame.endHeaders : 0)
            bytes += Frame(type: kind.rawValue, flags: flags, streamID: streamID, payload: Array(part)).bytes
        } while !rest.isEmpty
        return bytes
    }

    private func feed(_ bytes: [UInt8]) {
        events.removeAll()
        do throws(HTTP2Error) {
            var failure: HTTP2Error?
            bytes.withUnsafeBytes { buffer in
                do throws(HTTP2Error) { try session.receive(buffer) } catch { failure = error }
            }
            if let failure { throw failure }
        } catch {
            claim(false, "the fields cannot be read: \(error)")
        }
        claim(!session.isFinished, "the fields cannot be read: \(session.lastComplaint ?? "")")
        session.takeEvents(into: &events)
        flush()
    }

    private func flush() {
        var others: [HTTP2Event] = []
        while let _ = expected({ try session.nextFrame() }) {}
        session.takeEvents(into: &others)
        events += others
    }
}
