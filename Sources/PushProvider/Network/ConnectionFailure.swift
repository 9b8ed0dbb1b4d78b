internal import NIOCore
internal import NIOPosix
import PushPlatform
internal import PushWire

/// Why a connection did not come about, or ended: the phase and a sentence.
struct ConnectionFailure: Error, Equatable, CustomStringConvertible {
    var phase: PushPhase
    var description: String
    /// The server does not take the certificate: another connection would end in the same way.
    var isAboutCredentials = false
    /// It may be gone the next time. What has to be put right first is told at once to everything that waits.
    var isPassing = true
}

extension ConnectionFailure {
    /// TLS or HTTP/2 could not go on.
    init(_ failure: HTTP2OverTLS.Failure, peer: String) {
        switch failure {
        case .http2(let error): self = .brokenHTTP2(by: peer, message: "\(error)")
        case .tls(let error):
            self.init(
                phase: .tls, description: "\(peer): \(error.detail)\(Self.advice(error)).", isPassing: error.isPassing)
            isAboutCredentials = error.code == .ownCertificateExpired || error.code == .ownCertificateRefused
        }
    }

    fileprivate static let untrustedAdvice =
        "; for a mock, a test server or a proxy of your own, trust the authority that issued it"
    fileprivate static let alpnAdvice = "for a test server without ALPN set requiresALPN to false"

    private static func advice(_ error: TLSError) -> String {
        switch error.code {
        case .untrustedAuthority: untrustedAdvice
        case .wrongHostName: "; use a name that is in the certificate"
        case .notTLS: "; perhaps the port is not the one of APNs"
        case .noHTTP2: "; APNs does, so something else answers there; \(alpnAdvice)"
        case .ownCertificateExpired: "; have a new one made"
        default: ""
        }
    }

    static func ended(by peer: String, message: String?, reason: RejectionReason? = nil) -> ConnectionFailure {
        ConnectionFailure(
            phase: .wait, description: "\(peer) closed the connection\(message.map { ": \($0)" } ?? "").",
            isPassing: !(reason?.concernsCredentials ?? false))
    }

    /// This side has ended the connection because of what came on it.
    static func brokenHTTP2(by peer: String, message: String) -> ConnectionFailure {
        ConnectionFailure(phase: .parse, description: "\(peer) broke HTTP/2: \(message).")
    }

    /// What a GOAWAY says about the certificate; `nil` when it speaks of something else.
    static func refusedCertificate(_ goAway: HTTP2GoAway, by peer: String) -> ConnectionFailure? {
        let reasons: [RejectionReason] = [.badCertificate, .badCertificateEnvironment]
        guard let reason = ReasonBody(goAway.debugData).reason, reasons.contains(reason) else { return nil }
        let explained = reason.explanation.map { " \($0.meaning) \($0.advice)" } ?? ""
        return ConnectionFailure(
            phase: .settings, description: "\(peer) refused the certificate: \(reason.rawValue).\(explained)",
            isAboutCredentials: true, isPassing: false)
    }

    /// The name stands for nothing.
    static func unresolved(_ host: String, _ failure: NameFailure) -> ConnectionFailure {
        let why =
            switch failure {
            case .unknown: ": check it, and this machine's DNS"
            case .noServer: " now: no DNS server has answered for it"
            case .noDescriptors: ": this process has no file descriptor left"
            case .other(let message): " (\(message)): check it, and this machine's DNS"
            }
        return ConnectionFailure(phase: .dns, description: "the name \"\(host)\" cannot be resolved\(why).")
    }

    /// Nobody has said what the name stands for.
    static func unresolved(_ host: String, within timeout: Duration) -> ConnectionFailure {
        ConnectionFailure(
            phase: .dns,
            description:
                "the name \"\(host)\" was not resolved within \(timeout.seconds) s: this machine's DNS is slow, "
                + "or silent.")
    }

    /// No address of it has answered.
    static func unreached(_ target: ConnectTarget, within timeout: Duration) -> ConnectionFailure {
        let hint = target.hasAlternatePort ? "; where 443 is closed, port \(APNSHost.alternatePort) may be open" : ""
        return ConnectionFailure(
            phase: .tcp,
            description: "\(target) did not answer within \(timeout.seconds) s: wrong address, or a firewall\(hint).")
    }

    /// What NIO says about connecting.
    static func connecting(_ error: any Error, to target: ConnectTarget, within timeout: Duration) -> ConnectionFailure
    {
        if case .connectTimeout? = error as? ChannelError { return unreached(target, within: timeout) }
        return socket(error, peer: target.description, phase: .tcp)
    }

    /// It says something about this process, and nothing about an address.
    static func isOurs(_ error: any Error) -> Bool {
        (error as? IOError).map { $0.errnoCode == EMFILE || $0.errnoCode == ENFILE } ?? false
    }

    /// This machine knows no way to that address.
    static func isWithoutWay(_ error: any Error) -> Bool {
        (error as? IOError).map { [ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL].contains($0.errnoCode) } ?? false
    }

    static func socket(_ error: any Error, peer: String, phase: PushPhase) -> ConnectionFailure {
        guard let error = error as? IOError else {
            return ConnectionFailure(phase: phase, description: "\(peer): \(error).")
        }
        let message =
            switch error.errnoCode {
            case ECONNREFUSED: "refused the connection: nothing listens there, check host and port"
            case ECONNRESET: "reset the connection"
            case EHOSTUNREACH, ENETUNREACH: "cannot be reached from here"
            case EMFILE, ENFILE: "cannot be reached: this process has no file descriptor left"
            case EPIPE: "closed the connection"
            default: String(cString: strerror(error.errnoCode))
            }
        return ConnectionFailure(phase: phase, description: "\(peer) \(message).")
    }
}

extension PushNotSent {
    /// Whether the reason is a server that does not agree on HTTP/2 by ALPN, as ``PushEnvironment/requiresALPN`` demands.
    package var isForLackOfALPN: Bool { description.contains(ConnectionFailure.alpnAdvice) }

    /// Whether the reason is a server whose certificate comes from an authority that is not trusted.
    package var isForUntrustedAuthority: Bool { description.contains(ConnectionFailure.untrustedAdvice) }
}

extension TimeAmount {
    /// The same, or a century where it is longer: a timer must stay countable from any moment.
    init(clamping duration: Duration) {
        let century: Int64 = 100 * 366 * 86_400 * 1_000_000_000
        self = .nanoseconds(min(duration.clampedNanoseconds, century))
    }
}
