internal import NIOCore
internal import NIOPosix
import PushPlatform
internal import PushWire

/// Why a connection could not be opened, or ended: the phase and a sentence.
struct ConnectionFailure: Error, Equatable, CustomStringConvertible {
    var phase: PushOutcome.Phase
    var description: String
    /// Whether the server refuses the certificate. Another connection would end in the same way.
    var isAboutCredentials = false
    /// Whether the failure may be temporary. A permanent failure is reported at once to all waiting notifications.
    var isPassing = true
}

extension ConnectionFailure {
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
    fileprivate static let alpnAdvice = "for a test server without ALPN, set requiresALPN to false"

    private static func advice(_ error: TLSError) -> String {
        switch error.code {
        case .untrustedAuthority: untrustedAdvice
        case .wrongHostName: "; use a name that is in the certificate"
        case .notTLS: "; the port may be wrong"
        case .noHTTP2: "; this may not be APNs; \(alpnAdvice)"
        case .ownCertificateExpired: "; create a new one"
        default: ""
        }
    }

    static func ended(by peer: String, message: String?, reason: RejectionReason? = nil) -> ConnectionFailure {
        ConnectionFailure(
            phase: .wait, description: "\(peer) closed the connection\(message.map { ": \($0)" } ?? "").",
            isPassing: !(reason?.concernsCredentials ?? false))
    }

    /// This side ended the connection because of received bytes.
    static func brokenHTTP2(by peer: String, message: String) -> ConnectionFailure {
        ConnectionFailure(phase: .parse, description: "\(peer) violated HTTP/2: \(message).")
    }

    /// The failure for a GOAWAY about the certificate; `nil` for any other GOAWAY.
    static func refusedCertificate(_ goAway: HTTP2GoAway, by peer: String) -> ConnectionFailure? {
        let reasons: [RejectionReason] = [.badCertificate, .badCertificateEnvironment]
        guard let reason = ReasonBody(goAway.debugData).reason, reasons.contains(reason) else { return nil }
        let explained = reason.explanation.map { " \($0.meaning) \($0.advice)" } ?? ""
        return ConnectionFailure(
            phase: .settings, description: "\(peer) refused the certificate: \(reason.rawValue).\(explained)",
            isAboutCredentials: true, isPassing: false)
    }

    static func unresolved(_ host: String, _ failure: NameFailure) -> ConnectionFailure {
        let why =
            switch failure {
            case .unknown: ": check the name, and the DNS of this machine"
            case .noServer: " now: no DNS server answered"
            case .noDescriptors: ": this process has no file descriptor left"
            case .other(let message): " (\(message)): check the name, and the DNS of this machine"
            }
        return ConnectionFailure(phase: .dns, description: "the name \"\(host)\" can't be resolved\(why).")
    }

    static func unresolved(_ host: String, within timeout: Duration) -> ConnectionFailure {
        ConnectionFailure(
            phase: .dns,
            description:
                "the name \"\(host)\" wasn't resolved within \(timeout.seconds) s: the DNS server is slow, "
                + "or doesn't answer.")
    }

    static func unreached(_ target: ConnectTarget, within timeout: Duration) -> ConnectionFailure {
        let hint = target.hasAlternatePort ? "; if port 443 is blocked, try port \(APNSHost.alternatePort)" : ""
        return ConnectionFailure(
            phase: .tcp,
            description: "\(target) didn't answer within \(timeout.seconds) s: wrong address, or a firewall\(hint).")
    }

    /// The failure for an error of NIO while connecting.
    static func connecting(_ error: any Error, to target: ConnectTarget, within timeout: Duration) -> ConnectionFailure
    {
        if case .connectTimeout? = error as? ChannelError { return unreached(target, within: timeout) }
        return socket(error, peer: target.description, phase: .tcp)
    }

    /// Whether the cause is this process, not the address: no file descriptors are left.
    static func isOurs(_ error: any Error) -> Bool {
        (error as? IOError).map { $0.errnoCode == EMFILE || $0.errnoCode == ENFILE } ?? false
    }

    /// Whether this machine has no route to the address.
    static func isWithoutWay(_ error: any Error) -> Bool {
        (error as? IOError).map { [ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL].contains($0.errnoCode) } ?? false
    }

    /// The end of the sentence about an address without a route.
    static let noRoute = SocketFailure.noRoute

    static func socket(_ error: any Error, peer: String, phase: PushOutcome.Phase) -> ConnectionFailure {
        guard let error = error as? IOError else {
            return ConnectionFailure(phase: phase, description: "\(peer): \(error).")
        }
        return ConnectionFailure(phase: phase, description: "\(peer) \(SocketFailure.predicate(error.errnoCode)).")
    }
}

extension PushOutcome.NotSent {
    /// Whether the reason is a server that does not negotiate HTTP/2 by ALPN, as ``PushEnvironment/requiresALPN``
    /// requires.
    package var isForLackOfALPN: Bool { description.contains(ConnectionFailure.alpnAdvice) }

    /// Whether the reason is a server certificate from an untrusted authority.
    package var isForUntrustedAuthority: Bool { description.contains(ConnectionFailure.untrustedAdvice) }
}

extension TimeAmount {
    /// The same duration, at most a century, so that timers do not overflow.
    init(clamping duration: Duration) {
        let century: Int64 = 100 * 366 * 86_400 * 1_000_000_000
        self = .nanoseconds(min(duration.clampedNanoseconds, century))
    }
}
