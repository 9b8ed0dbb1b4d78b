import Foundation
import NIOCore
import TestSupport
import Testing

@testable import PushProvider
@testable import PushWire

@Suite struct ConnectionFailureTests {
    @Test(arguments: [
        (
            TLSError.Code.untrustedAuthority,
            "peer:1: it is so; for a mock, a test server or a proxy of your own, trust the authority that issued it."
        ),
        (.wrongHostName, "peer:1: it is so; use a name that is in the certificate."),
        (.notTLS, "peer:1: it is so; the port may be wrong."),
        (
            .noHTTP2,
            """
            peer:1: it is so; this may not be APNs; for a test server without ALPN, set requiresALPN to false.
            """
        ),
        (.certificateNotInForce, "peer:1: it is so."),
        (.alertReceived, "peer:1: it is so."),
        (.ownCertificateExpired, "peer:1: it is so; create a new one."),
        (.ownCertificateRefused, "peer:1: it is so."),
        (.failed, "peer:1: it is so."),
    ])
    func `a failure of TLS names the peer and the way out`(code: TLSError.Code, sentence: String) {
        let failure = ConnectionFailure(.tls(TLSError(code, "it is so")), peer: "peer:1")
        #expect(failure.phase == .tls)
        #expect(failure.description.hasPrefix(sentence))
    }

    @Test func `that the server does not take our certificate concerns the credentials`() {
        let ours: [TLSError.Code] = [.ownCertificateExpired, .ownCertificateRefused]
        let others: [TLSError.Code] = [.untrustedAuthority, .certificateNotInForce, .alertReceived, .failed, .noHTTP2]
        for code in ours + others {
            let failure = ConnectionFailure(.tls(TLSError(code, "it is so")), peer: "peer:1")
            #expect(failure.isAboutCredentials == ours.contains(code))
        }
    }

    @Test(arguments: [
        (#"{"reason":"BadCertificate"}"#, true), (#"{"reason":"BadCertificateEnvironment"}"#, true),
        (#"{"reason":"Shutdown"}"#, false), ("BadCertificate", false), ("", false),
    ])
    func `of a GOAWAY the reason says whether the certificate is meant`(text: String, isMeant: Bool) {
        let goAway = HTTP2GoAway(lastStreamID: 0, errorCode: 0, debugData: Array(text.utf8))
        let failure = ConnectionFailure.refusedCertificate(goAway, by: "peer:1")
        #expect((failure != nil) == isMeant)
        #expect(failure?.isAboutCredentials ?? true)
        #expect(failure?.description.hasPrefix("peer:1 refused the certificate: BadCertificate") ?? true)
    }

    @Test func `a failure of HTTP 2 names the peer and what was done`() {
        let error = HTTP2Error(code: .peerViolation, operation: "reading frames", detail: "a bad frame")
        let failure = ConnectionFailure(.http2(error), peer: "peer:1")
        #expect(failure == .init(phase: .parse, description: "peer:1 violated HTTP/2: reading frames: a bad frame."))
    }

    @Test func `an end has its words, or none`() {
        #expect(
            ConnectionFailure.ended(by: "peer:1", message: "GOAWAY NO_ERROR")
                == .init(phase: .wait, description: "peer:1 closed the connection: GOAWAY NO_ERROR."))
        #expect(
            ConnectionFailure.ended(by: "peer:1", message: nil)
                == .init(phase: .wait, description: "peer:1 closed the connection."))
    }

    @Test(arguments: [
        (ECONNREFUSED, "peer:1 refused the connection: nothing listens there, check host and port."),
        (ECONNRESET, "peer:1 reset the connection."),
        (EPIPE, "peer:1 closed the connection."),
        (EHOSTUNREACH, "peer:1 can't be reached from here."),
        (ENETUNREACH, "peer:1 can't be reached from here."),
        (EMFILE, "peer:1 can't be reached: this process has no file descriptor left."),
        (ENFILE, "peer:1 can't be reached: this process has no file descriptor left."),
    ])
    func `what the system says about a socket becomes a sentence`(code: Int32, sentence: String) {
        let failure = ConnectionFailure.socket(IOError(errnoCode: code, reason: "x"), peer: "peer:1", phase: .wait)
        #expect(failure == .init(phase: .wait, description: sentence))
    }

    @Test func `an error of the system that has no words of its own here gets the system's`() {
        let failure = ConnectionFailure.socket(IOError(errnoCode: EACCES, reason: "x"), peer: "p", phase: .tcp)
        #expect(failure.description == "p can't be reached: Permission denied.")
    }

    @Test func `no answer within the time names the time`() {
        let failure = ConnectionFailure.connecting(
            ChannelError.connectTimeout(.seconds(10)), to: ConnectTarget(.sandbox), within: .milliseconds(2500))
        #expect(failure.phase == .tcp)
        #expect(
            failure.description
                == "api.sandbox.push.apple.com:443 didn't answer within 2.5 s: wrong address, or a firewall; "
                + "if port 443 is blocked, try port 2197.")
    }

    @Test func `another error of the channel keeps its own words`() {
        let failure = ConnectionFailure.connecting(ChannelError.eof, to: ConnectTarget(.sandbox), within: .seconds(1))
        #expect(failure.phase == .tcp)
        #expect(failure.description.hasPrefix("api.sandbox.push.apple.com:443: "))
    }

    @Test(arguments: [
        (Duration.seconds(10), "10"), (.milliseconds(500), "0.5"), (.zero, "0"), (.milliseconds(1250), "1.25"),
    ])
    func `seconds are written as people write them`(duration: Duration, message: String) {
        #expect(duration.seconds == message)
    }
}
