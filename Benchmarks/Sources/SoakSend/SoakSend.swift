import CHeap
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

/// Sends until its standard input ends, for scripts/soak: bursts from many tasks, with idle gaps between them. From time to time,
/// a new client with a new provider token replaces the old one.
///
/// Prints a line for each notification, with the `apns-id` and the outcome, and each second `# heap` with the bytes in use.
@main
struct SoakSend {
    private static let tasks = 50
    private static let sendsOfTask = 40
    /// The number of bursts of one client. After them, a new client starts.
    private static let bursts = 10

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let port = Int(arguments[1]) else {
            return print("use: SoakSend PORT CA-FILE P8-FILE")
        }
        let environment = try PushEnvironment(host: "localhost", port: port, trust: .authorities(file: arguments[2]))
        let heap = Task {
            while !Task.isCancelled {
                print("# heap \(CHeap_in_use())")
                // The C library does not flush each line of a pipe.
                fflush(nil)
                try? await Task.sleep(for: .seconds(1))
            }
        }
        var sent = 0
        while !isOver {
            let key = try PushProviderKey(p8File: arguments[3], keyID: "MOCKKEY123", teamID: "MOCKTEAM12")
            let client = try PushClient(
                environment: environment, credentials: .token(key), configuration: configuration)
            for burst in 0..<bursts where !isOver {
                sent += try await sendBurst(with: client)
                // Every second gap is so long that the client checks an idle connection before it uses it again.
                try await Task.sleep(for: .milliseconds(burst.isMultiple(of: 2) ? 400 : 1600))
            }
            await client.shutdown()
        }
        heap.cancel()
        print("end \(sent)")
    }

    /// Whether the standard input has ended. Nothing is ever written to it.
    private static var isOver: Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, 0) > 0
    }

    private static var configuration: PushConfiguration {
        var configuration = PushConfiguration()
        (configuration.minimumConnections, configuration.maximumConnections) = (2, 2)
        configuration.eventLoops = 2
        configuration.timeout = .seconds(2)
        configuration.trustedSilence = .seconds(1)
        configuration.queuedNotifications = 100
        return configuration
    }

    private static func sendBurst(with client: PushClient) async throws -> Int {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    for _ in 0..<sendsOfTask { try await sendOne(with: client) }
                }
            }
            try await group.waitForAll()
        }
        return tasks * sendsOfTask
    }

    private static func sendOne(with client: PushClient) async throws {
        var notification = PushNotification(
            to: try DeviceToken("5f3ad1c07b9e4286"), topic: "com.example.app", payload: .alert(body: "Hello"))
        let id = UUID()
        notification.id = id
        let text: String
        switch await client.outcome(of: notification) {
        case .accepted: text = "accepted"
        case .rejected(let rejection): text = "rejected \(rejection.status) \(rejection.reason?.rawValue ?? "-")"
        case .notSent(let notSent): text = "not-sent \(notSent.cause)"
        case .unknown(let unknown): text = "unknown \(unknown.cause)"
        case .invalid: text = "invalid"
        }
        print(id.uuidString.lowercased(), text)
    }
}
