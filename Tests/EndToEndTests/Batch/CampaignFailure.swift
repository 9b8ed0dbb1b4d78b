import APNSVocabulary
import Foundation
import MockAPNs
import Testing

/// One way in which a campaign fails as a whole: how it is brought about, and how the command must end.
///
/// The same rows stand in the table of `docs/batch.md`, which a test compares.
struct CampaignFailure: Sendable, CustomTestStringConvertible {
    /// The first column of the table in `docs/batch.md`.
    var name: String
    var faults: [MockFault] = []
    /// Flags beside the usual ones.
    var flags: [String] = []
    /// How long each push may take: short only where that is what ends a row.
    var timeout = "60s"
    /// Whether somebody listens where the lines are sent to.
    var hasServer = true
    var exit: Int32
    /// How many requests the mock may see while the fault acts.
    var maximumRequests = Int.max
    /// What `stopped` says in the summary; `nil` where the input came to its end.
    var stopped: String?
    /// What the message for people must contain.
    var message = ""
    /// How many lines may be unknown after it.
    var maximumUnknown = 0
    /// How the same command ends when the fault is over.
    var exitAfterCorrection: Int32 = 0

    var testDescription: String { name }

    static let lineCount = 2000

    /// The lines: every second one has another topic.
    static let lines = (1...lineCount).map { number in
        let topic = number.isMultiple(of: 2) ? "com.example.other" : "com.example.app"
        return #"{"token":"\#(CampaignGround.token(number))","topic":"\#(topic)"}"#
    }.joined(separator: "\n")

    private static func answer(_ status: Int, _ reason: String?, topic: String? = nil) -> MockFault {
        MockFault(
            when: MockFault.Matcher(topic: topic),
            steps: [.answer(status: status, reason: reason.map { RejectionReason(rawValue: $0) })])
    }

    private static func refusedSender(
        _ name: String, _ status: Int, _ reason: String?, maximum: Int, message: String? = nil
    ) -> CampaignFailure {
        CampaignFailure(
            name: name, faults: [answer(status, reason)], exit: 77, maximumRequests: maximum, stopped: "credentials",
            message: message ?? "\(status)\(reason.map { " \($0)" } ?? "")")
    }

    private static func outage(
        _ name: String, _ fault: MockFault, timeout: String = "60s", maximum: Int, message: String
    ) -> CampaignFailure {
        CampaignFailure(
            name: name, faults: [fault], timeout: timeout, exit: 75, maximumRequests: maximum, stopped: "outage",
            message: message)
    }

    static let all: [CampaignFailure] = [
        refusedSender(
            "The clock of this machine is slow: 403 `ExpiredProviderToken`", 403, "ExpiredProviderToken", maximum: 50),
        refusedSender("The key was revoked: 403 `InvalidProviderToken`", 403, "InvalidProviderToken", maximum: 50),
        refusedSender("403 `MissingProviderToken`", 403, "MissingProviderToken", maximum: 50),
        refusedSender("403 `Forbidden`", 403, "Forbidden", maximum: 50),
        refusedSender("Any other 403, with a reason that is not known", 403, "SomethingNew", maximum: 50),
        refusedSender("403 without a reason", 403, nil, maximum: 50),
        CampaignFailure(
            name: "The key is revoked while lines are sent",
            faults: [
                MockFault(
                    when: MockFault.Matcher(match: MockFault.Ordinal(from: 500)),
                    steps: [.answer(status: 403, reason: .invalidProviderToken)])
            ], exit: 77, stopped: "credentials", message: "403 InvalidProviderToken"),
        CampaignFailure(
            name: "One topic of several is refused: 400 `TopicDisallowed` or `BadTopic`",
            faults: [answer(400, "TopicDisallowed", topic: "com.example.app")], exit: 77,
            message: "400 TopicDisallowed"),
        CampaignFailure(
            name: "All topics are refused", faults: [answer(400, "BadTopic")], exit: 77, message: "400 BadTopic"),
        CampaignFailure(
            name: "Device tokens and setup do not match: `BadDeviceToken`, `DeviceTokenNotForTopic`",
            faults: [answer(400, "BadDeviceToken")], exit: 75, maximumRequests: 250, stopped: "mismatch",
            message: "100 of the last 100 answers"),
        CampaignFailure(
            name: "All requests are refused in the same way: 400, 404, 405, 413", faults: [answer(404, nil)], exit: 75,
            maximumRequests: 250, stopped: "mismatch", message: "The requests themselves are refused"),
        outage(
            "The service is unavailable: only 500 or 503", answer(503, "ServiceUnavailable"), maximum: 40,
            message: "503 ServiceUnavailable"),
        outage(
            "Only 503 `Shutdown`", answer(503, "Shutdown"), timeout: "15s", maximum: 40, message: "503 Shutdown"),
        outage(
            "Only 429 `TooManyProviderTokenUpdates`", answer(429, "TooManyProviderTokenUpdates"), maximum: 40,
            message: "429 TooManyProviderTokenUpdates"),
        outage(
            "The server processes nothing: only REFUSED_STREAM", MockFault(steps: [.resetStream(.refusedStream)]),
            timeout: "15s", maximum: 100, message: "didn't process the request"),
        CampaignFailure(
            name: "The server is silent", faults: [MockFault(steps: [.noAnswer])], timeout: "2s", exit: 76,
            maximumRequests: 40,
            stopped: "outage", maximumUnknown: 40, exitAfterCorrection: 76),
        CampaignFailure(
            name: "No connection can be made", timeout: "2s", hasServer: false, exit: 69, stopped: "unreachable"),
        CampaignFailure(
            name: "The server's certificate is not trusted", flags: ["--cacert", "/etc/ssl/certs/ca-certificates.crt"],
            exit: 69, stopped: "unreachable", message: "certificate"),
        CampaignFailure(
            name: "`--max-errors` is reached", faults: [answer(400, "BadDeviceToken")],
            flags: ["--max-errors", "20"], exit: 75, stopped: "errors",
            message: "the limit is 20"),
    ]
}
