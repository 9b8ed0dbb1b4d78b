import PushCommandLine
import PushDelivery
import PushProvider
import Testing

@testable import pushserve

/// What the answer to the test push of `check --connect` means.
struct ServerCheckTests {
    private static func finding(_ status: Int, _ reason: RejectionReason?) throws -> Finding {
        let settings = AppSettings(
            name: "shop", environment: .sandbox, credentials: .identity(file: "a", passphraseFile: nil))
        let pem = String(decoding: SampleKey.pem, as: UTF8.self)
        let key = try PushProviderKey(p8: pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        return ServerCheck(settings: settings, credentials: .token(key), timeout: .seconds(1)).rejected(
            PushOutcome.Rejection(status: status, reason: reason), "apns", "com.example.shop")
    }

    private static let refusals: [(Int, RejectionReason?, String, Int32)] = [
        (403, .invalidProviderToken, "apns refuses the credentials.", 77),
        (403, nil, "apns refuses the credentials. The answer was 403.", 77),
        (400, .topicDisallowed, "apns refuses the topic com.example.shop with these credentials.", 77),
        (503, .serviceUnavailable, "apns doesn't accept pushes now", 75),
        (500, .internalServerError, "apns doesn't accept pushes now", 75),
        (429, nil, "apns doesn't accept pushes now", 75),
        (404, nil, "apns doesn't answer as APNs does. The answer was 404.", 78),
        (405, .methodNotAllowed, "apns doesn't answer as APNs does.", 78),
        (302, nil, "apns doesn't answer as APNs does. The answer was 302.", 78),
        (400, .badPriority, "apns refuses the test push, but not for its credentials.", 75),
    ]

    @Test(arguments: refusals)
    func `each refusal has its own sentence, and a remedy`(
        status: Int, reason: RejectionReason?, fact: String, code: Int32
    ) throws {
        let finding = try Self.finding(status, reason)
        #expect(finding.result == .failed && finding.status.code == code)
        #expect(finding.fact.hasPrefix(fact), "\(finding.fact)")
        #expect(finding.fact.contains("topic com.example.shop") == (reason == .topicDisallowed))
        #expect(finding.remedy?.isEmpty == false)
    }

    private static let ofDevice: [(Int, RejectionReason?)] = [(400, .badDeviceToken), (410, .unregistered), (410, nil)]

    @Test(arguments: ofDevice)
    func `a refused device token means that the credentials are accepted`(status: Int, reason: RejectionReason?) throws
    {
        #expect(try Self.finding(status, reason).fact == "apns accepts the credentials.")
    }
}
