import PushProvider
import Testing

@testable import DeliveryReports
@testable import pushsend

/// The files of exports, and how they are shown.
struct ReportCSVTests {
    private static func rows(
        _ text: String, _ dataset: PushDeliveryReports.Dataset = .deliveries
    ) throws -> [PushDeliveryReports.Row] {
        try ReportCSV.rows(Array(text.utf8), dataset)
    }

    @Test func `counts are grouped by day and push type, whatever the order of lines and columns`() throws {
        let rows = try Self.rows(
            """
            \u{FEFF}Date (UTC),Count,"Push Type",Status,Region
            2026-11-26,7,ALERT,Delivered,x
            2026-11-25,1000,alert,Delivered,x
            2026-11-25,20,alert,Stored,x
            2026-11-25,3,background,Discarded,x
            2026-11-25,1,alert,Delivered,y
            """)
        #expect(rows.map(\.day) == ["2026-11-25", "2026-11-25", "2026-11-26"])
        #expect(rows.map(\.pushType) == ["alert", "background", "alert"])
        #expect(rows[0].counts == ["delivered": 1001, "stored": 20])
    }

    @Test func `a withheld figure of a broadcast is missing, not a number`() throws {
        let rows = try Self.rows(
            """
            Date (UTC),Broadcasts Published,Broadcasts Delivered,Total Subscriptions,Unique Subscribers
            2026-11-25,4,-1,-1,120\r
            """, .broadcasts)
        #expect(rows.map(\.counts) == [["published": 4, "subscribers": 120]])
    }

    @Test(arguments: ["\r\n", "\r", "\n\n", "\n"])
    func `lines end as they like, fields can be quoted, and days can come twice`(end: String) throws {
        let lines = [
            #""Push Type","Status","Date (UTC)","Count""#, #""alert","Delivered","2026-11-25","7""#,
            "alert,Delivered,2026-11-25T00:00:00Z,5",
        ]
        let rows = try Self.rows(lines.map { $0 + end }.joined())
        #expect(rows == [.init(day: "2026-11-25", pushType: "alert", counts: ["delivered": 12])])
        #expect(try Self.rows(lines[0] + end).isEmpty)
    }

    @Test(arguments: [
        ("Push Type,Status,Date (UTC)\n", "no column \"count\""),
        ("Push Type,Status,Date (UTC),Count\nalert,Delivered,2026-11-25,many", "line 2"),
        ("Push Type,Status,Date (UTC),Count\nalert,Delivered,2026-11-25,1\nalert,Delivered", "line 3"),
        ("Push Type,Status,Date (UTC),Count\nalert,Delivered,2026-11-25,-5", "line 2"),
        ("Push Type,Status,Date (UTC),Count\nalert,Delivered,2026-11-25,9223372036854775807", "line 2"),
        // A number that was cut in two would be a wrong one.
        ("Push Type,Status,Date (UTC),Count\nalert,Delivered,2026-11-25,\"1,234\"", "line 2"),
        ("Push Type,Status,Date (UTC),Count\nalert,Delivered,2026-11-25,5.5", "line 2"),
        ("<html>", "no column"),
    ])
    func `another file is refused with its place`(text: String, words: String) {
        let failure = #expect(throws: PushDeliveryReports.Failure.self) { try Self.rows(text) }
        #expect(failure?.code == .unreadable && failure?.description.contains(words) == true)
    }

    @Test func `an empty file is an empty report`() throws {
        #expect(try Self.rows("").isEmpty)
        #expect(
            DeliveryReport(app: "a", days: 7, rows: []).lines(colours: false) == [
                "Apple counted nothing for a in these 7 days."
            ])
    }

    @Test func `the token goes to Apple's hosts and to the same server only`() throws {
        let apple = PushEnvironment(host: "api.icloud.apple.com")
        #expect(try ReportURL("https://p1-export.icloud.apple.com/x?y=1", besides: apple).path == "/x?y=1")
        for wrong in [
            "http://api.icloud.apple.com/x", "https://apple.com.example.com/x", "https://user@api.icloud.apple.com/",
            "https://api.icloud.apple.com:8443/", "/x", "", "https://api.icloud.apple.com/\r\nx: y",
            "https://\(String(repeating: "a.", count: 127))apple.com/x",
        ] {
            #expect(throws: PushDeliveryReports.Failure.self, "\(wrong)") { try ReportURL(wrong, besides: apple) }
        }
    }
}
