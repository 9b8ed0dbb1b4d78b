import Foundation
import PushProvider
import PushServiceClient

/// Hands pushes to a running `pushserve`, and follows their outcomes.
///
///     SendToService ADDRESS API_KEY DEVICE_TOKEN
///
/// The API key needs the scopes send and read.
@main
struct SendToService {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3 else {
            print("use: SendToService ADDRESS API_KEY DEVICE_TOKEN")
            exit(64)
        }
        try await send(
            address: arguments[0], key: arguments[1], token: arguments[2], order: Int.random(in: 1...Int.max))
    }

    static func send(address: String, key: String, token: String, order: Int) async throws {
        // service.md: send
        let service = ServiceClient(address: address, key: key)
        let push = ServicePush(
            to: token, payload: .alert(title: "Order \(order)", body: "Your parcel has arrived"))

        // When this returns, the push is on the disk of the service. With the same key, a repetition is harmless.
        let once = "parcel-\(order)"
        let queued = try await service.send(push, idempotencyKey: once)
        print("queued as \(queued.id)")
        // service.md: end

        // service.md: wait
        // The key is that of the push above, so this waits for its outcome, and sends no second one.
        if let outcome = try await service.outcome(of: push, within: .seconds(10), idempotencyKey: once) {
            print("\(outcome.kind): \(outcome.detail ?? "no remark")")
        } else {
            print("no outcome yet; the push stays in the queue")
        }
        // service.md: end

        try await follow(service, until: queued.id)
    }

    /// Reads outcomes until that of a push is there. A program that runs for ever stores the cursor, and reads on from it.
    static func follow(_ service: ServiceClient, until id: UUID) async throws {
        // service.md: follow
        var cursor: String?
        while true {
            let results = try await service.results(after: cursor)
            cursor = results.next
            for job in results.items {
                print("\(job.id): \(job.outcome?.kind.rawValue ?? job.state)")
                if job.id == id { return }
            }
            if results.items.isEmpty { try await Task.sleep(for: .seconds(1)) }
        }
        // service.md: end
    }
}
