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
        tally.add(await sendAll(notifications))
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

    private func sendAll(_ notifications: [PushNotification]) async -> SendTally {
        await withTaskGroup(of: SendTally.self) { group in
            for notification in notifications {
                group.addTask { await send(notification) }
            }
            return await group.reduce(into: SendTally()) { $0.add($1) }
        }
    }

    private func send(_ notification: PushNotification) async -> SendTally {
        var tally = SendTally()
        if let (outcome, status) = await sendOne(notification) {
            tally.add(outcome, status)
        } else {
            tally.addRefused(.invalidInput)
        }
        return tally
    }

    /// Sends a notification, and reports its outcome.
    ///
    /// - Parameter notification: The notification.
    /// - Returns: The outcome with its exit code; `nil` if the notification was refused before it was sent.
    func sendOne(_ notification: PushNotification) async -> (PushOutcome, ExitStatus)? {
        // Its retries are logged, too.
        let outcome = await client.outcome(of: notification, timeout: timeout, logger: isVerbose ? logger : nil)
        if case .invalid = outcome {
            Output.complain("\(outcome)")
            return nil
        }
        return (outcome, report.print(outcome, of: notification))
    }
}
