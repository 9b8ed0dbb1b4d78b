import Foundation
import PushProvider

/// Sends a push with a `.p8` key twice: once so that a failure throws, and once for its outcome.
///
///     SendOne AuthKey_ABC123DEFG.p8 KEY_ID TEAM_ID TOPIC DEVICE_TOKEN [HOST PORT CA_FILE]
///
/// Without a host, they go to Apple's sandbox. With one, for example a running `pushsend mock`, they go there.
@main
struct SendOne {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 5 || arguments.count == 8 else {
            print("use: SendOne P8_FILE KEY_ID TEAM_ID TOPIC DEVICE_TOKEN [HOST PORT CA_FILE]")
            return
        }
        try await sendOne(
            keyFile: arguments[0], keyID: arguments[1], teamID: arguments[2], topic: arguments[3], token: arguments[4],
            order: 42, registeredAt: nil,
            to: arguments.count == 8
                ? environment(host: arguments[5], port: arguments[6], caFile: arguments[7]) : .sandbox
        )
    }

    static func environment(host: String, port: String, caFile: String) throws -> PushEnvironment {
        PushEnvironment(host: host, port: Int(port) ?? APNSHost.port, trust: try .authorities(file: caFile))
    }

    static func sendOne(
        keyFile: String, keyID: String, teamID: String, topic: String, token: String, order: Int,
        registeredAt: Date?, to environment: PushEnvironment
    ) async throws {
        // README: make a client
        let client = try PushClient(
            environment: environment,
            credentials: .token(PushProviderKey(p8File: keyFile, keyID: keyID, teamID: teamID))
        )
        // README: end

        // README: send
        let notification = PushNotification(
            to: try DeviceToken(token),
            topic: topic,
            payload: try .alert(title: "New message", body: "Hello", sound: "default", custom: ["order": order]),
            registeredAt: registeredAt
        )
        do {
            let acceptance = try await client.send(notification)
            print("Apple took it as \(acceptance.apnsID).")
        } catch {
            print(error)
        }
        // README: end

        // README: five outcomes
        switch await client.outcome(of: notification, timeout: .seconds(10)) {
        case .accepted(let acceptance):
            print("accepted: \(acceptance.apnsID)")
        case .rejected(let rejection):
            switch rejection.tokenStatus {
            case .gone: print("delete this device token")
            case .unclear: print("dead, unless the app has registered it since: give registeredAt to find out")
            case .registeredSince, nil: print("\(rejection)")
            }
        case .notSent(let notSent):
            print("not sent, safe to resend: \(notSent)")
        case .unknown(let unknown):
            print("perhaps taken, sending again may double it: \(unknown)")
        case .invalid(let findings):
            print("not sent, because it breaks a rule: \(findings)")
        }
        // README: end

        // README: shut down
        await client.shutdown(drainTime: .seconds(5))
        // README: end
    }
}
