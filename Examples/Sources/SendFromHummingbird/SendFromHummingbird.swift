import Foundation
import Hummingbird
import Logging
import MockAPNs
import MockRun
import PushProvider
import ServiceLifecycle

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A web server that sends pushes: one client for all requests, which drains when the server stops.
@main
struct SendFromHummingbird {
    static func main() async throws {
        try await withMock { mock, client in
            let (ports, listening) = AsyncStream.makeStream(of: Int.self)
            let app = makeApplication(client, topic: "com.example.app", port: 0) { listening.yield($0) }
            let group = ServiceGroup(services: [app], logger: Logger(label: "com.example.orders"))
            let running = Task { try await group.run() }

            for await port in ports.prefix(1) {
                try check(try await post(#"{"number":42,"deviceToken":"5f3ad1c07b9e4286"}"#, port) == 202, "it is sent")
                try check(try await post(#"{"number":42,"deviceToken":"zz"}"#, port) == 400, "zz isn't a token")
            }
            let arrival = try await mock.arrival(1, within: .seconds(5))
            try check(arrival.payload.contains(#""order":42"#), "the order is in it")
            await group.triggerGracefulShutdown()
            try await running.value
        }
        print("All checks passed.")
    }

    private static func makeApplication(
        _ client: PushClient, topic: String, port: Int, whenListening: @escaping @Sendable (Int) -> Void
    ) -> some ApplicationProtocol {
        // README: hummingbird
        let router = Router()
        router.post("orders/ready") { request, context -> HTTPResponse.Status in
            let order = try await request.decode(as: Order.self, context: context)
            guard let token = try? DeviceToken(order.deviceToken) else { throw HTTPError(.badRequest) }
            let notification = PushNotification(
                to: token,
                topic: topic,
                payload: try .alert(title: "Your order is ready", custom: ["order": order.number])
            )
            let outcome = await client.outcome(of: notification, timeout: .seconds(10))
            context.logger.info("\(outcome)")
            switch outcome {
            case .accepted: return .accepted
            case .rejected: return .badGateway
            case .invalid: return .badRequest
            case .notSent, .unknown: return .serviceUnavailable
            }
        }
        // README: end

        // README: hummingbird application
        var app = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in whenListening(channel.localAddress?.port ?? port) }
        )
        // It starts before the server and drains after it.
        app.addServices(client)
        // README: end
        return app
    }

    /// The status of the answer.
    private static func post(_ order: String, _ port: Int) async throws -> Int {
        guard let url = URL(string: "http://127.0.0.1:\(port)/orders/ready") else { return 0 }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "content-type")
        request.httpBody = Data(order.utf8)
        let (_, response) = try await URLSession.shared.data(for: request)
        return (response as? HTTPURLResponse)?.statusCode ?? 0
    }
}

struct Order: Decodable {
    var number: Int
    var deviceToken: String
}
