import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Measures the steps before a notification is sent, one at a time.
///
/// Prints the mean time of one of COUNT repetitions in nanoseconds.
@main
struct Steps {
    static let use = """
        use: Steps payload COUNT
             Steps signing COUNT P8-FILE
             Steps start COUNT P8-FILE HOST PORT CA-FILE DEVICE-TOKEN
        """

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2, let count = Int(arguments[1]), count > 0 else { return print(use) }
        switch (arguments[0], arguments.count) {
        case ("payload", 2):
            report(encodePayloads(count), count)
        case ("signing", 3):
            report(try signTokens(count, with: key(arguments[2])), count)
        case ("start", 7):
            report(try await startClients(count, arguments), count)
        default:
            print(use)
        }
    }

    static func report(_ duration: Duration, _ count: Int) {
        print("nanoseconds each: \(Int(duration / .nanoseconds(count)))")
    }

    static func key(_ file: String) throws -> PushProviderKey {
        try PushProviderKey(p8File: file, keyID: "BENCHKEY01", teamID: "BENCHTEAM1")
    }

    /// Encodes a typical alert to JSON.
    static func encodePayloads(_ count: Int) -> Duration {
        var bytes = 0
        let duration = ContinuousClock().measure {
            for number in 0..<count {
                let payload = PushPayload.alert(
                    title: "Order \(number)", body: "It is on its way, and will be with you before noon.", badge: 1,
                    sound: "default", threadID: "orders", custom: ["order": .integer(number)])
                bytes += payload.bytes.count
            }
        }
        precondition(bytes > 0, "no payload is empty")
        return duration
    }

    /// A key signs a new provider token every half hour. Here, each time is in a different half hour.
    static func signTokens(_ count: Int, with key: PushProviderKey) throws -> Duration {
        try ContinuousClock().measure {
            for number in 0..<count {
                _ = try key.providerToken(at: Date(timeIntervalSince1970: Double(1_800_000_000 + 1800 * number)))
            }
        }
    }

    /// From the creation of a client to its first accepted notification.
    static func startClients(_ count: Int, _ arguments: [String]) async throws -> Duration {
        guard let port = Int(arguments[4]) else { return .zero }
        let environment = try PushEnvironment(host: arguments[3], port: port, trust: .authorities(file: arguments[5]))
        let key = try key(arguments[2])
        let notification = PushNotification(
            to: try DeviceToken(arguments[6]), topic: "com.example.app", payload: .alert(body: "Hello"))
        var sum = Duration.zero
        for _ in 0..<count {
            let begun = ContinuousClock().now
            let client = try PushClient(environment: environment, credentials: .token(key))
            try await client.send(notification)
            sum += ContinuousClock().now - begun
            await client.shutdown()
        }
        return sum
    }
}
