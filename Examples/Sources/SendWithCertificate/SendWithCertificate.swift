import Foundation
import PushProvider

/// Sends one push with a certificate and prints its outcome. The topic is that of the certificate.
///
///     PUSH_PASSPHRASE=... SendWithCertificate push.p12 DEVICE_TOKEN [HOST PORT CA_FILE]
///
/// Without a host it goes to Apple's sandbox. With one, for example a running `pushsend mock`, it goes there.
@main
struct SendWithCertificate {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 2 || arguments.count == 5 else {
            print("use: SendWithCertificate P12_FILE DEVICE_TOKEN [HOST PORT CA_FILE]")
            return
        }
        let passphrase = ProcessInfo.processInfo.environment["PUSH_PASSPHRASE"].map { PushPassphrase($0) }
        try await send(
            certificateFile: arguments[0], passphrase: passphrase, token: arguments[1],
            to: arguments.count == 5
                ? environment(host: arguments[2], port: arguments[3], caFile: arguments[4]) : .sandbox
        )
    }

    static func environment(host: String, port: String, caFile: String) throws -> PushEnvironment {
        PushEnvironment(host: host, port: Int(port) ?? APNSHost.port, trust: try .authorities(file: caFile))
    }

    static func send(
        certificateFile: String, passphrase: PushPassphrase?, token: String, to environment: PushEnvironment
    ) async throws {
        // README: make a client with a certificate
        let identity = try PushIdentity(p12File: certificateFile, passphrase: passphrase)
        let client = try PushClient(environment: environment, credentials: .identity(identity))
        // README: end

        for warning in identity.warnings { print(warning) }
        let topic = identity.topics.first ?? ""
        let outcome = await client.outcome(
            of: PushNotification(to: try DeviceToken(token), topic: topic, payload: .alert(body: "Hello")))
        print(outcome)
        await client.shutdown(drainTime: .seconds(5))
    }
}
