import Logging
import NIOCore
import PushProvider

/// Sends what a command has to send over one client, and says what became of it.
struct PushSender: Sendable {
    let client: PushClient
    let report: SendReport
    let timeout: Duration?

    private let isVerbose: Bool
    /// Whether somebody with a phone in hand may wonder what "accepted" means.
    private let isFirstPush: Bool

    init(
        _ target: Target, _ signer: Signer, _ report: SendReport, _ how: RunOptions, on threads: any EventLoopGroup
    ) throws {
        timeout = how.timeout?.duration
        isVerbose = how.verbose
        isFirstPush = target.isApple && !how.json && Prompt.isSeen
        var configuration = PushConfiguration()
        configuration.proxy = target.proxy.proxy
        // One host that takes its time is all there is to wait for.
        configuration.resolveTimeout = min(configuration.resolveTimeout, timeout ?? configuration.timeout)
        configuration.connectTimeout = min(configuration.connectTimeout, timeout ?? configuration.timeout)
        // Whoever waits at the terminal wants to know at once that nobody listens.
        configuration.retry.retriesConnecting = false
        configuration.checksNotifications = !how.noLint
        configuration.retry.attempts = 3
        let logger = Self.logger(how)
        do {
            client = try PushClient(
                environment: target.place, credentials: signer.credentials, configuration: configuration,
                eventLoopGroup: threads, logger: logger)
        } catch {
            throw CommandFailure.from(error)
        }
        self.report = report
    }

    private static func logger(_ how: RunOptions) -> Logger {
        Logger(label: "pushsend") { label in
            var handler = TerminalLog(label: label)
            handler.logLevel = how.verbose ? .debug : .critical
            return how.traceFrames ? FrameLog(others: handler) : handler
        }
    }

    /// Sends all of them at the same time.
    func send(_ notifications: [PushNotification], adding tally: inout SendTally) async {
        let wasAccepted = tally.hasAcceptance
        let watching = isVerbose ? Task { await tellWhatLimits() } : nil
        defer { watching?.cancel() }
        tally.add(await sendAll(notifications))
        if isFirstPush, tally.hasAcceptance, !wasAccepted {
            Output.note("Apple took it. Not on the phone? pushsend explain nothing-arrived")
        }
    }

    /// Of one that takes its time: what it waits for.
    private func tellWhatLimits() async {
        var told: PushDiagnosis?
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            let now = client.diagnosis
            guard Self.isWorthTelling(now, after: told) else { continue }
            Output.note("What limits it: \(now.description)")
            told = now
        }
    }

    /// How more would go out at a time is of no use to somebody who sends a handful; how far a connection has come is.
    static func isWorthTelling(_ now: PushDiagnosis, after told: PushDiagnosis?) -> Bool {
        switch now.limit {
        case .nothing, .caller, .roundTrip, .queue: false
        case .connecting: now.description != told?.description
        default: now.limit != told?.limit
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
        do {
            let outcome = try await client.outcome(of: notification, timeout: timeout)
            tally.add(outcome, report.tell(outcome, of: notification))
        } catch {
            Output.complain("\(error)")
            tally.addRefused(.invalidInput)
        }
        return tally
    }
}
