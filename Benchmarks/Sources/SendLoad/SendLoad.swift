import Dispatch
import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Sends the same notification many times and prints the outcomes, to compare with h2load.
///
/// Uses many tasks that each call `send` and wait for the outcome, or one sequence with `outcomes(of:)`.
@main
struct SendLoad {
    static let keyID = "BENCHKEY01"
    static let teamID = "BENCHTEAM1"
    static let use = """
        use: SendLoad HOST PORT CA-FILE P8-FILE TOKEN COUNT TASKS PAYLOAD-BYTES
                 [--sequence] [--ids] [--connections=N] [--most-connections=N] [--loops=N]
                 [--seconds=N [--after=N]]: by the clock, in place of COUNT
             SendLoad --print-token P8-FILE
        """

    static func main() {
        start()
        DispatchSemaphore(value: 0).wait()
    }

    private nonisolated static func start() {
        Task {
            do {
                try await run()
                exit(0)
            } catch {
                print(error)
                exit(1)
            }
        }
    }

    private static func run() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--print-token", let file = arguments.last {
            let key = try PushProviderKey(p8File: file, keyID: keyID, teamID: teamID)
            print(try key.providerToken())
            return
        }
        let plain = Array(arguments.filter { !$0.hasPrefix("--") })
        guard plain.count == 8, let port = Int(plain[1]), let count = Int(plain[5]), let tasks = Int(plain[6]),
            let bytes = Int(plain[7])
        else { return print(use) }
        var configuration = PushConfiguration()
        configuration.assignsIDs = arguments.contains("--ids")
        // A fixed number of connections, or a range in which the pool chooses.
        let connections = number("--connections", in: arguments) ?? 1
        configuration.maximumConnections = number("--most-connections", in: arguments) ?? connections
        configuration.minimumConnections = min(connections, configuration.maximumConnections)
        configuration.eventLoops = number("--loops", in: arguments) ?? 1
        let client = try PushClient(
            environment: PushEnvironment(host: plain[0], port: port, trust: .authorities(file: plain[2])),
            credentials: .token(PushProviderKey(p8File: plain[3], keyID: keyID, teamID: teamID)),
            configuration: configuration
        )
        let notification = PushNotification(
            to: try DeviceToken(plain[4]), topic: "com.example.app", payload: payload(bytes: bytes))
        if let seconds = number("--seconds", in: arguments) {
            let load = LastingLoad(
                seconds: Double(seconds), countsAfter: Double(number("--after", in: arguments) ?? 0))
            let finding = try await load.run(notification, with: client)
            await client.shutdown(drainTime: .seconds(5))
            print(
                "rate \(Int(finding.perSecond.rounded())), failed \(finding.failed) \(finding.firstFailure),",
                "connections \(finding.connections), changes \(finding.changes), limit \(finding.limit)")
            return
        }
        let tally =
            if arguments.contains("--sequence") {
                try await send(Repeated(notification: notification, count: count), with: client)
            } else {
                await send(notification, count: count, tasks: tasks, with: client)
            }
        await client.shutdown()
        print("accepted \(tally.accepted), failed \(tally.failed) \(tally.firstFailure)")
    }

    static func number(_ option: String, in arguments: ArraySlice<String>) -> Int? {
        arguments.first { $0.hasPrefix(option + "=") }.flatMap { Int($0.dropFirst(option.count + 1)) }
    }

    /// An alert with a body that fills it up to the wanted size.
    static func payload(bytes: Int) -> PushPayload {
        let empty = PushPayload.alert(body: "").bytes.count
        return .alert(body: String(repeating: "x", count: max(0, bytes - empty)))
    }

    struct Tally: Sendable {
        var accepted = 0
        var failed = 0
        var firstFailure = ""
    }

    static func send(
        _ notification: PushNotification, count: Int, tasks: Int, with client: PushClient
    ) async -> Tally {
        await withTaskGroup(of: Tally.self) { group in
            for task in 0..<tasks {
                let share = count / tasks + (task < count % tasks ? 1 : 0)
                group.addTask { await sendShare(notification, share, with: client) }
            }
            return await group.reduce(into: Tally()) { sum, part in
                sum.accepted += part.accepted
                sum.failed += part.failed
                if sum.firstFailure.isEmpty { sum.firstFailure = part.firstFailure }
            }
        }
    }

    static func send(_ notifications: Repeated, with client: PushClient) async throws -> Tally {
        var tally = Tally()
        for try await result in client.outcomes(of: notifications) {
            if case .accepted = result.outcome {
                tally.accepted += 1
            } else {
                tally.failed += 1
                if tally.firstFailure.isEmpty { tally.firstFailure = "\(result.outcome)" }
            }
        }
        return tally
    }

    static func sendShare(_ notification: PushNotification, _ share: Int, with client: PushClient) async -> Tally {
        var tally = Tally()
        for _ in 0..<share {
            do {
                try await client.send(notification)
                tally.accepted += 1
            } catch {
                tally.failed += 1
                if tally.firstFailure.isEmpty { tally.firstFailure = "\(error)" }
            }
        }
        return tally
    }
}

/// A sequence that repeats the same notification.
struct Repeated: AsyncSequence, Sendable {
    let notification: PushNotification
    let count: Int

    struct AsyncIterator: AsyncIteratorProtocol {
        let notification: PushNotification
        var left: Int

        mutating func next() async -> PushNotification? {
            guard left > 0 else { return nil }
            left -= 1
            return notification
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(notification: notification, left: count)
    }
}
