import PushJSON
import PushPlatform
import PushTime
import Testing

@testable import MockAPNs

/// The export of delivery counts that the mock plays, by the rules of Apple's page.
@Suite struct DeliveryExportTests {
    private static let now = Date(timeIntervalSince1970: 1_795_000_000)
    private static let root = "/v1/dataExports/"
    private static let path = "\(root)apns/teams/DEF123GHIJ/appId/com.example.app/datasetName"
    private static let token = ["x-apple-cloudkit-management-token": "any"]

    private static func day(_ back: Int) -> String {
        String((now - Double(back) * 86_400).rfc3339.prefix(10))
    }

    private static func body(_ from: Int = 7, _ to: Int = 1, minutes: Int = 60, more: String = "") -> String {
        #"{"startDate":"\#(day(from))","endDate":"\#(day(to))","dataDownloadUrlExpiresInMinutes":\#(minutes)\#(more)}"#
    }

    private static func ask(
        _ method: String, _ path: String, _ body: String = "", token: [String: String] = token, after: Double = 0,
        _ change: (inout MockVariants) -> Void = { _ in }
    ) -> DeliveryExport.Answer {
        var variants = MockVariants()
        change(&variants)
        return DeliveryExport(authority: "localhost:2197", now: now + after, variants: variants, arrivals: { [] })
            .answer(
                MockRequest(
                    method: method, path: path, fields: token.map { MockRequest.Field($0, $1) }, body: Array(body.utf8))
            )
    }

    /// The path of the status of an export.
    private static func requested() throws -> String {
        let json = PushJSONValue(json: ask("POST", "\(path)/deliverymetrics/request", body()).body)
        guard case .string(let address) = try #require(json?["statusUrl"]) else { return "" }
        let server = "https://localhost:2197"
        #expect(address.hasPrefix(server + root))
        return String(address.dropFirst(server.count))
    }

    @Test(arguments: [
        ("POST", "\(path)/deliverymetrics/request", body(), 200),
        ("POST", "\(path)/broadcastapplicationmetric/request", body(30, 1, minutes: 20), 200),
        ("POST", "\(path)/broadcastchannelmetrics/request", body(more: #","channelId":"dHN0LXNyY2gtY2hubA==""#), 200),
        ("POST", "\(path)/broadcastchannelmetrics/request", body(), 400),
        ("POST", "\(path)/broadcastchannelmetrics/request", body(more: #","channelId":"a&app=b""#), 400),
        ("POST", "\(path)/deliverymetrics/request", body(32), 400),
        ("POST", "\(path)/deliverymetrics/request", body(7, 0), 400),
        ("POST", "\(path)/deliverymetrics/request", body(1, 1), 400),
        ("POST", "\(path)/deliverymetrics/request", body(minutes: 19), 400),
        ("POST", "\(path)/deliverymetrics/request", body(minutes: 61), 400),
        ("POST", "\(path)/deliverymetrics/request", "[", 400), ("POST", "\(path)/deliverymetrics/request", "", 400),
        ("POST", "\(path)/unknown/request", body(), 404), ("GET", "\(path)/deliverymetrics/request", "", 404),
        ("GET", "\(root)status", "", 404), ("GET", "\(root)status?app=a&set=b", "", 404),
        ("GET", "\(root)data?app=a&set=b&from=c&to=d&made=e", "", 404), ("GET", "\(root)", "", 404),
    ])
    func `a request is judged by Apple's rules`(method: String, path: String, body: String, status: Int) {
        #expect(Self.ask(method, path, body).status == status)
    }

    @Test func `request and status need a token, and the download does not`() throws {
        #expect(Self.ask("POST", "\(Self.path)/deliverymetrics/request", Self.body(), token: [:]).status == 401)
        let status = try Self.requested()
        #expect(Self.ask("GET", status, token: [:]).status == 401)
        let data = Self.ask("GET", status.replacing("/status?", with: "/data?"), token: [:])
        #expect(data.status == 200 && data.type == "text/csv")
        #expect(String(decoding: data.body, as: UTF8.self) == "Push Type,Status,Date (UTC),Count\n")
    }

    @Test(arguments: [MockVariants.ExportStatus.success, .failed, .expired])
    func `it is processed for as long as the setting says, then it has the set status`(end: MockVariants.ExportStatus)
        throws
    {
        let path = try Self.requested()
        for (after, status) in [(0.0, MockVariants.ExportStatus.processing), (59, .processing), (60, end)] {
            let json = PushJSONValue(
                json: Self.ask("GET", path, after: after) { ($0.exportTime, $0.exportStatus) = (.seconds(60), end) }
                    .body)
            #expect(json?["status"] == .string(status.rawValue))
            #expect((json?["downloadDetails"]?["dataUrl"] != nil) == (status == .success))
        }
    }
}
