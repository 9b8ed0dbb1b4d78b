import Foundation
import PushProvider

/// Sends one push with a `.p8` key through an HTTP proxy and prints its outcome.
///
///     SendThroughProxy AuthKey_ABC123DEFG.p8 KEY_ID TEAM_ID TOPIC DEVICE_TOKEN [PROXY_URL]
///
/// Without a URL the proxy is the one that HTTPS_PROXY names, unless NO_PROXY lists Apple.
@main
struct SendThroughProxy {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 5 || arguments.count == 6 else {
            print("use: SendThroughProxy P8_FILE KEY_ID TEAM_ID TOPIC DEVICE_TOKEN [PROXY_URL]")
            return
        }
        let configuration = try arguments.count == 6 ? configuration(proxy: arguments[5]) : configurationOfThisProcess()
        let client = try PushClient(
            environment: .production,
            credentials: .token(PushProviderKey(p8File: arguments[0], keyID: arguments[1], teamID: arguments[2])),
            configuration: configuration)
        let outcome = await client.outcome(
            of: PushNotification(to: try DeviceToken(arguments[4]), topic: arguments[3], payload: .alert(body: "Hello"))
        )
        print(outcome)
        await client.shutdown(drainTime: .seconds(5))
    }

    static func configuration(proxy url: String) throws -> PushConfiguration {
        var configuration = PushConfiguration()
        configuration.proxy = try PushProxy(url: url)
        return configuration
    }

    static func configurationOfThisProcess() throws -> PushConfiguration {
        // docs/diagnose.md
        var configuration = PushConfiguration()
        configuration.proxy = try PushProxy.named(in: ProcessInfo.processInfo.environment, for: .production)
        return configuration
    }
}
