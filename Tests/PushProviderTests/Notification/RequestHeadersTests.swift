import Foundation
import TestSupport
import Testing

@testable import PushProvider
@testable import PushWire

@Suite struct RequestHeadersTests {
    static let id = UUID(uuidString: "123E4567-E89B-12D3-A456-4266554400A0").map(RequestID.init)

    private func fields(_ headers: RequestHeaders) -> [String] {
        headers.fields.fields.map { "\($0.name): \($0.value)" }
    }

    @Test func `a plain notification has five fields, the id in lower case`() throws {
        let headers = try RequestHeaders(.sample(), id: Self.id)
        #expect(
            fields(headers) == [
                ":path: /3/device/740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad",
                "apns-topic: com.example.app", "apns-push-type: alert", "apns-priority: 10",
                "apns-id: 123e4567-e89b-12d3-a456-4266554400a0",
            ])
    }

    @Test func `a notification with everything has all fields`() throws {
        let notification = try PushNotification.sample {
            $0.topic = "com.example.app.voip"
            $0.pushType = .voip
            $0.priority = .powerAware
            $0.expiration = .until(secondsSince1970: 1_800_000_000)
            $0.collapseID = "score é"
        }
        #expect(
            fields(RequestHeaders(notification, id: Self.id)).dropFirst() == [
                "apns-topic: com.example.app.voip", "apns-push-type: voip", "apns-priority: 5",
                "apns-expiration: 1800000000", "apns-collapse-id: score é",
                "apns-id: 123e4567-e89b-12d3-a456-4266554400a0",
            ])
    }

    @Test func `without an id none is sent`() throws {
        let headers = try RequestHeaders(.sample(), id: nil)
        #expect(headers.fields["apns-id"] == nil)
    }

    @Test func `what is inferred is sent`() throws {
        let headers = try RequestHeaders(.sample { $0.payload = .background() }, id: nil)
        #expect(headers.fields["apns-push-type"] == "background")
        #expect(headers.fields["apns-priority"] == "5")
    }

    @Test(arguments: [
        (PushExpiration.apnsDefault, nil), (.once, "0"), (.until(secondsSince1970: 0), "0"),
        (.until(secondsSince1970: 1_800_000_000), "1800000000"),
    ])
    func `an expiration is seconds, 0, or nothing`(expiration: PushExpiration, value: String?) throws {
        let headers = try RequestHeaders(.sample { $0.expiration = expiration }, id: nil)
        #expect(headers.fields["apns-expiration"] == value)
    }

    @Test func `a device token keeps its letter case and its length`() throws {
        let notification = try PushNotification.sample { $0.deviceToken = (try? DeviceToken("AbCd")) ?? $0.deviceToken }
        #expect(RequestHeaders(notification, id: nil).fields[":path"] == "/3/device/AbCd")
    }

    /// HPACK's table is small at Apple's: what never comes again must not push out what does.
    @Test func `only what comes again is kept in HPACK's table`() throws {
        let notification = try PushNotification.sample {
            $0.expiration = .once
            $0.collapseID = "c"
        }
        let indexed = RequestHeaders(notification, id: Self.id).fields.fields.filter { $0.indexing == .allowed }.map(
            \.name)
        #expect(indexed == ["apns-topic", "apns-push-type", "apns-priority"])
    }

    @Test func `ids that are drawn are random UUIDs, each another one`() throws {
        let source = RequestIDSource()
        let ids = (0..<1000).map { _ in source.next().description }
        #expect(Set(ids).count == 1000)
        for id in ids {
            let uuid = try #require(UUID(uuidString: id))
            #expect(id == uuid.uuidString.lowercased())
            #expect(RequestID(uuid).description == id)
            // RFC 9562: version 4, variant 10.
            #expect(uuid.uuid.6 >> 4 == 4 && uuid.uuid.8 >> 6 == 2)
        }
    }
}

extension RequestHeaders {
    init(_ notification: PushNotification, id: RequestID?) {
        self.init(notification, notification.inferred, id: id)
    }
}

struct RequestIDTests {
    @Test func `an id is spelled as its UUID is, in lower case`() throws {
        var random = SeededGenerator(seed: 16)
        let bits: [UInt128] = [0, .max, 0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210]
        for bits in bits + (0..<1000).map({ _ in UInt128.random(in: .min ... .max, using: &random) }) {
            let uuid = UUID(uuid: withUnsafeBytes(of: bits.bigEndian) { $0.loadUnaligned(as: uuid_t.self) })
            #expect(RequestID(uuid).description == uuid.uuidString.lowercased())
        }
    }
}
