import DeliveryReports

/// Prints what Apple counted in a week: `DeliveryCounts APP`, with the data export token on standard input.
@main
struct DeliveryCounts {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let token = readLine() else {
            print("use: DeliveryCounts APP < export.token")
            return
        }
        try await printCounts(of: CommandLine.arguments[1], token)
    }

    static func printCounts(of app: String, _ token: String) async throws {
        let reports = PushDeliveryReports(teamID: "DEF123GHIJ", token: token)
        for row in try await reports.rows(.deliveries, app: app, days: 7) {
            print(row.day, row.pushType ?? "", row.counts["delivered"] ?? 0)
        }
    }
}
