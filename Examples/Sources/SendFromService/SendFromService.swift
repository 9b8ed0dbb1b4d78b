import Logging
import MockAPNs
import MockRun
import PushProvider
import ServiceLifecycle

/// A client is one of the services of a process. When the process must stop, it ends all of them in order.
@main
struct SendFromService {
    static func main() async throws {
        try await withMock { mock, client in
            let (orders, arriving) = AsyncStream.makeStream(of: Order.self)
            let logger = Logger(label: "com.example.orders")

            // README: services
            let notices = OrderNotices(orders: orders, client: client, topic: "com.example.app")
            let group = ServiceGroup(
                // They end in the opposite order: the client last, when nothing more is given to it.
                services: [client, notices],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
            // README: end

            let running = Task { try await group.run() }
            arriving.yield(Order(number: 41, deviceToken: "5f3ad1c07b9e4286"))
            arriving.yield(Order(number: 42, deviceToken: "5f3ad1c07b9e4286"))
            try check(try await mock.arrival(2, within: .seconds(5)).payload.contains("42"), "both have arrived")
            // What a SIGTERM does.
            await group.triggerGracefulShutdown()
            try await running.value
            try check(mock.arrivalCount == 2, "nothing was sent twice")
        }
        print("All checks passed.")
    }
}

struct Order: Sendable {
    var number: Int
    var deviceToken: String
}

// README: a service
/// Tells people that their orders are ready, until the process is to end.
struct OrderNotices: Service {
    let orders: AsyncStream<Order>
    let client: PushClient
    let topic: String

    func run() async throws {
        for await order in orders.cancelOnGracefulShutdown() {
            let notification = PushNotification(
                to: try DeviceToken(order.deviceToken),
                topic: topic,
                payload: try .alert(title: "Your order is ready", custom: ["order": order.number])
            )
            print(await client.outcome(of: notification))
        }
    }
}
// README: end
