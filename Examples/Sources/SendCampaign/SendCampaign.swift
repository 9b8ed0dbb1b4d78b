import Foundation
import MockAPNs
import MockRun
import PushCampaign
import PushProvider

/// The campaign of docs/batch.md, ended after a while and taken up again.
@main
struct SendCampaign {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "campaign-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await withMock { mock, client in
            guard FileManager.default.changeCurrentDirectoryPath(folder.path()) else {
                return try check(false, "the folder for the results can't be used")
            }
            let first = try await send(rows(40), through: client)
            try check(first.accepted == 40, "40 lines are accepted: \(first)")
            // More rows than the first time: only those go out that have not.
            let second = try await send(rows(100), through: client)
            try check(second.before == 40 && second.accepted == 60, "60 lines are left: \(second)")
            try check(mock.arrivals.count == 100, "each line goes out once")
            try await CampaignFromFile.run(through: client)
        }
        print("All checks passed.")
    }

    private static func rows(_ count: Int) -> AsyncStream<BatchEntry> {
        AsyncStream { rows in
            for number in 1...count {
                guard let token = try? DeviceToken(String(repeating: "0", count: 60) + String(1000 + number)) else {
                    continue
                }
                let notification = PushNotification(
                    to: token, topic: "com.example.app", payload: .alert(body: "Sale: 20 % off"))
                rows.yield(BatchEntry(notification, ref: .integer(number)))
            }
            rows.finish()
        }
    }

    private static func send(_ entries: AsyncStream<BatchEntry>, through client: PushClient) async throws
        -> BatchSummary
    {
        let folder = try BatchFolder("campaign.pushsend", facts: [PushCampaignFact("query", "2026-11", "the query")])
        let batch = PushBatch(entries, through: client, folder: folder)
        let summary = try await batch.run { results, _ in
            for result in results { print(result.ref ?? .null, result.reason ?? "accepted") }
        }
        return summary
    }
}
