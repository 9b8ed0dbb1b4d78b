import Logging
import NIOCore
import PushCommandLine
import PushProvider

/// Sends the notifications of a command with one client, and reports the outcomes.
struct PushSender: Sendable {
    let client: PushClient
    let report: SendReport
    let timeout: Duration?

    private let isVerbose: Bool
    private let logger: Logger
    /// Whether to explain what "accepted" means, for a first push to a real device.
    private let isFirstPush: Bool

    init(
        _ target: Target, _ signer: Signer, _ report: SendReport, _ how: RunOptions, on threads: any EventLoopGroup
    ) throws {
        timeout = how.timeout?.duration
        isVerbose = how.verbose
        isFirstPush = target.isApple && !how.json && Prompt.isSeen
        var configuration = PushConfiguration(forFewRequestsThrough: target.proxy, within: timeout)
        configuration.checksNotifications = !how.noLint
        logger = Self.logger(how)
        client = try PushClient(
            environment: target.environment, credentials: signer.credentials, configuration: configuration,
            eventLoopGroup: threads, logger: logger)
        self.report = report
    }

    private static func logger(_ how: RunOptions) -> Logger {
        Logger(label: "pushsend") { label in
            let handler = TerminalLog(label: label, level: how.verbose ? .debug : .critical)
            return how.traceFrames ? FrameLog(others: handler) : handler
        }
    }

    /// Sends all notifications at the same time.
    func send(_ notifications: [PushNotification], adding tally: inout SendTally) async {
        let wasAccepted = tally.hasAcceptance
        let watching = isVerbose ? Task { await reportLimit() } : nil
        defer { watching?.cancel() }
        await withTaskGroup(of: (PushOutcome, ExitStatus).self) { group in
            for notification in notifications { group.addTask { await sendOne(notification) } }
            for await (outcome, status) in group { tally.add(outcome, status) }
        }
        if isFirstPush, tally.hasAcceptance, !wasAccepted {
            Output.note("Apple accepted it. Not on the phone? pushsend explain nothing-arrived")
        }
    }

    /// For a push that takes long, reports what it waits for.
    private func reportLimit() async {
        var reported: PushClient.Diagnosis?
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            let now = client.diagnosis
            guard Self.isWorthReporting(now, after: reported) else { continue }
            Output.note("What limits it: \(now.description)")
            reported = now
        }
    }

    /// Whether a diagnosis is useful here: how far the connection is, but not how to increase the rate, because only a
    /// few notifications are sent.
    static func isWorthReporting(_ now: PushClient.Diagnosis, after reported: PushClient.Diagnosis?) -> Bool {
        switch now.limit {
        case .nothing, .caller, .roundTrip, .queue: false
        case .connecting: now.description != reported?.description
        default: now.limit != reported?.limit
        }
    }

    /// Sends a notification, and reports its outcome.
    ///
    /// - Parameter notification: The notification.
    /// - Returns: The outcome with its exit code.
    func sendOne(_ notification: PushNotification) async -> (PushOutcome, ExitStatus) {
        // Its retries are logged, too.
        let outcome = await client.outcome(of: notification, timeout: timeout, logger: isVerbose ? logger : nil)
        if case .invalid = outcome {
            Output.complain("\(outcome)")
            return (outcome, .invalidInput)
        }
        return (outcome, report.print(outcome, of: notification))
    }
}
