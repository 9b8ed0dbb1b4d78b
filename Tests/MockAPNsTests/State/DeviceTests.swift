import APNSVocabulary
import Foundation
import Testing

@testable import MockAPNs

@Suite struct DeviceTests {
    @Test func `a token is found in either letter case`() throws {
        var devices = DeviceRegistry()
        devices.register(MockDevice(token: try DeviceToken("ABcd"), topics: ["com.example.app"]))
        #expect(devices.device(hex: "abCD")?.topics == ["com.example.app"])
        devices.register(MockDevice(token: try DeviceToken("abcd")))
        #expect(devices.count == 1)
        #expect(devices.device(hex: "ABCD")?.topics == [])
        devices.forget(try DeviceToken("aBcD"))
        #expect(devices.all.isEmpty)
    }

    @Test func `a request in upper case finds the device that was registered in lower`() {
        let trial = Trial {
            $0.apns.devices.register(try? Trial.device(state: .unregistered(since: Trial.now)))
            $0.path = $0.path.replacing("0f", with: "0F")
        }
        #expect(trial.reason == .unregistered)
    }

    @Test func `until the time of its end, a token is active`() {
        for (end, reason) in [(0.0, RejectionReason.unregistered), (3600, nil)] {
            let since = Trial.now.addingTimeInterval(end)
            let trial = Trial { $0.apns.devices.register(try? Trial.device(state: .unregistered(since: since))) }
            #expect(trial.reason == reason)
        }
        let expired = MockDevice.State.expired(since: Trial.now.addingTimeInterval(1))
        #expect(Trial { $0.apns.devices.register(try? Trial.device(state: expired)) }.reason == nil)
    }

    @Test func `unregistering keeps the topics, registering again revives`() throws {
        var devices = DeviceRegistry()
        let device = try Trial.device(["com.example.app"])
        devices.register(device)
        devices.unregister(device.token, since: Trial.now)
        #expect(devices.all == [try Trial.device(["com.example.app"], state: .unregistered(since: Trial.now))])
        devices.register(try Trial.device(["com.example.app"], state: .expired(since: Trial.now)))
        #expect(devices.all.map(\.state) == [.expired(since: Trial.now)])
        devices.register(device)
        #expect(devices.all == [device])
    }

    @Test func `a token that was never registered can be unregistered`() throws {
        let token = try DeviceToken(Trial.hex)
        #expect(Trial { $0.apns.devices.unregister(token, since: Trial.now) }.reason == .unregistered)
    }

    @Test func `a device of this environment and topic is taken even where unknown ones are not`() {
        let trial = Trial {
            $0.apns.unknownTokens = .reject
            $0.apns.devices.register(try? Trial.device(["com.example.app", "com.example.b"], environment: .sandbox))
        }
        #expect(trial.verdict.status == 200)
    }

    @Test func `a rate counts per token, in any letter case, and ends with its window`() {
        var apns = APNSState(trustedKeys: [Trial.key])
        apns.variants.deviceRateLimit = MockDeviceRateLimit(count: 2, per: .seconds(10))
        let request = Trial().request
        for second in [0.0, 1] {
            #expect(Trial { $0.apns = apns }.verdict.status == 200)
            apns.apply(.pushed(token: Trial.hex), at: Trial.now.later(by: second))
        }
        let reason = { (seconds: Double, path: String) in
            Trial {
                $0.apns = apns; $0.now = Trial.now.later(by: seconds); $0.path = path
            }.reason
        }
        #expect(reason(9.9, request.path) == .tooManyRequests)
        #expect(reason(9.9, "/3/device/" + Trial.hex.uppercased()) == .tooManyRequests)
        #expect(reason(9.9, "/3/device/abcd") == nil)
        #expect(reason(10, request.path) == nil)
    }

    @Test func `nothing is counted where no rate is limited`() {
        var apns = APNSState()
        apns.apply(.pushed(token: Trial.hex), at: Trial.now)
        #expect(apns.deviceRates == DeviceRates())
    }

    @Test func `counting starts again after a hundred thousand tokens`() {
        var apns = APNSState()
        apns.variants.deviceRateLimit = MockDeviceRateLimit(count: 1, per: .seconds(10))
        let token = { (number: Int) in String(number + 0x1000_0000, radix: 16) }
        let path = { (number: Int) in "/3/device/" + token(number) }
        for number in 0...100_000 { apns.apply(.pushed(token: token(number)), at: Trial.now) }
        apns.trust(Trial.key)
        #expect(
            Trial {
                $0.apns = apns; $0.path = path(0)
            }.reason == nil)
        #expect(
            Trial {
                $0.apns = apns; $0.path = path(100_000)
            }.reason == .tooManyRequests)
    }
}
