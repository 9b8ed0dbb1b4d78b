import Foundation
import TestSupport
import Testing

@Suite(.takingTurns) struct CurlTests {
    @Test func `an accepted push has no body, an apns-id in upper case and a unique id`() async throws {
        try await RunningMock.with { mock in
            let answer = try await mock.curl()
            #expect(answer.status == 200)
            #expect(answer.body == "")
            let id = try #require(answer.apnsID)
            #expect(id.wholeMatch(of: /[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/) != nil)
            let uniqueID = try #require(answer.headers["apns-unique-id"])
            #expect(uniqueID.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil)
            let line = try await mock.request(1)
            #expect(line["apns_id"]?.string == id)
            #expect(line["apns_unique_id"]?.string == uniqueID)
        }
    }

    @Test func `production gives no unique id`() async throws {
        try await RunningMock.with("-e", "production") { mock in
            let answer = try await mock.curl()
            #expect(answer.status == 200)
            #expect(answer.headers["apns-unique-id"] == nil)
        }
    }

    @Test func `the apns-id of the request comes back letter for letter`() async throws {
        let id = "123e4567-e89b-12d3-a456-42661417400f"
        try await RunningMock.with { mock in
            let answer = try await mock.curl(headers: RunningMock.usualHeaders + ["apns-id: \(id)"])
            #expect(answer.status == 200)
            #expect(answer.apnsID == id)
        }
    }

    /// A request that differs from the usual one in one thing, and what must come of it.
    struct Rejected: Sendable, CustomTestStringConvertible {
        var what: String
        var path = "/3/device/\(RunningMock.token)"
        var flags: [String] = []
        var headers = RunningMock.usualHeaders
        var authorization: String?
        var payload: String? = RunningMock.payload
        var status: Int
        var reason: String

        var testDescription: String { what }
    }

    static let rejected: [Rejected] = [
        Rejected(what: "no authorization", authorization: "", status: 403, reason: "MissingProviderToken"),
        Rejected(
            what: "an authorization that is no token", authorization: "bearer garbage", status: 403,
            reason: "InvalidProviderToken"),
        Rejected(what: "no topic", headers: ["apns-push-type: alert"], status: 400, reason: "MissingTopic"),
        Rejected(
            what: "two topics", headers: RunningMock.usualHeaders + ["apns-topic: com.example.other"], status: 400,
            reason: "DuplicateHeaders"),
        Rejected(
            what: "a device token that is not hex", path: "/3/device/xyz", status: 400, reason: "BadDeviceToken"),
        Rejected(what: "no device token", path: "/3/device/", status: 400, reason: "MissingDeviceToken"),
        Rejected(what: "an app that is gone", path: "/3/device/\(gone)", status: 410, reason: "Unregistered"),
        Rejected(what: "GET", flags: ["-X", "GET"], payload: nil, status: 405, reason: "MethodNotAllowed"),
        Rejected(what: "another path", path: "/foo", status: 404, reason: "BadPath"),
        Rejected(what: "no payload", payload: "", status: 400, reason: "PayloadEmpty"),
        Rejected(what: "4097 bytes", payload: payload(bytes: 4097), status: 413, reason: "PayloadTooLarge"),
        Rejected(
            what: "5121 bytes for a call", headers: voipHeaders, payload: payload(bytes: 5121), status: 413,
            reason: "PayloadTooLarge"),
        Rejected(
            what: "an unknown push type", headers: ["apns-topic: com.example.app", "apns-push-type: shout"],
            status: 400, reason: "InvalidPushType"),
        Rejected(
            what: "priority 7", headers: RunningMock.usualHeaders + ["apns-priority: 7"], status: 400,
            reason: "BadPriority"),
        Rejected(
            what: "an apns-id that is no UUID", headers: RunningMock.usualHeaders + ["apns-id: 1"], status: 400,
            reason: "BadMessageId"),
    ]

    @Test(arguments: rejected)
    func `is rejected with Apple's status and word, for which the mock gives its ground`(
        _ request: Rejected
    ) async throws {
        try await RunningMock.with("--unregistered", Self.gone) { mock in
            let answer = try await mock.curl(request, path: request.path)
            #expect(answer.status == request.status)
            #expect(answer.reason == request.reason)
            #expect(answer.apnsID != nil)
            let line = try await mock.request(1)
            #expect(line["status"]?.integer == request.status)
            #expect(line["reason"]?.string == request.reason)
            #expect(line["fact"]?.string?.isEmpty == false)
            #expect(line["confidence"]?.string?.isEmpty == false)
        }
    }

    @Test func `410 says since when, in milliseconds`() async throws {
        let before = Date().timeIntervalSince1970
        try await RunningMock.with("--unregistered", Self.gone) { mock in
            let answer = try await mock.curl("https://localhost:\(mock.port)/3/device/\(Self.gone)")
            let milliseconds = try #require(JSON(parsing: answer.body)["timestamp"]?.integer)
            #expect(milliseconds >= Int(before) * 1000)
            #expect(milliseconds <= Int(Date().timeIntervalSince1970 + 1) * 1000)
        }
    }

    @Test(arguments: [
        (RunningMock.usualHeaders, 4096), (["apns-topic: com.example.app.voip", "apns-push-type: voip"], 5120),
    ])
    func `a payload may be as large as Apple says`(headers: [String], bytes: Int) async throws {
        try await RunningMock.with { mock in
            let answer = try await mock.curl(headers: headers, payload: Self.payload(bytes: bytes))
            #expect(answer.status == 200)
        }
    }

    // MARK: Material

    static let gone = String(repeating: "0badc0de", count: 8)
    static let voipHeaders = ["apns-topic: com.example.app.voip", "apns-push-type: voip"]

    static func payload(bytes: Int) -> String {
        let frame = #"{"aps":{"alert":""}}"#
        return #"{"aps":{"alert":""# + String(repeating: "x", count: bytes - frame.utf8.count) + #""}}"#
    }
}

extension RunningMock {
    fileprivate func curl(_ request: CurlTests.Rejected, path: String) async throws -> CurlAnswer {
        let url = "https://localhost:\(port)\(path)"
        return try await curl(
            url, request.flags, headers: request.headers, authorization: request.authorization,
            payload: request.payload)
    }
}
