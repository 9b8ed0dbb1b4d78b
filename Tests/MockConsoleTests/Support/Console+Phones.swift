import HTTPTypes
import MockAPNs
import PushJSON
import PushProvider
import TestSupport
import Testing

@testable import MockConsole

extension Console {
    /// Sends a payload, and returns its number in the log.
    @discardableResult
    func send(
        _ payload: String, topic: String = "com.example.app", token: String = DeviceToken.sampleHex,
        collapse: String? = nil, expiration: PushExpiration? = nil, type: PushType? = nil
    ) async throws -> Int {
        _ = await client.outcome(
            of: PushNotification(
                to: try DeviceToken(token), topic: topic + (type?.topicSuffix ?? ""),
                payload: PushPayload(json: Array(payload.utf8)),
                pushType: type, expiration: expiration, collapseID: collapse))
        return mock.arrivalCount
    }

    /// Sends a file of Examples/payloads.
    @discardableResult
    func send(example name: String, topic: String = "com.example.app", type: PushType? = nil) async throws -> Int {
        try await send(Repository.text("Examples/payloads/\(name).json"), topic: topic, type: type)
    }

    /// Gives the mock a phone "desk" in YAML.
    func putPhone(_ yaml: String) async {
        let answer = await ask(.put, "/v1/phones/desk", yaml, type: "application/yaml")
        #expect(answer.status / 100 == 2, "\(answer.text)")
    }

    /// The outcome of a push.
    func push(_ number: Int) async -> Answer { await ask(.get, "/v1/pushes/\(number)") }

    func screen(_ phone: String = "desk") async -> Answer { await ask(.get, "/v1/phones/\(phone)/screen") }

    func act(_ body: String, on phone: String = "desk") async -> Answer {
        await ask(.post, "/v1/phones/\(phone)/actions", body)
    }

    func flip(_ body: String, on phone: String = "desk") async -> Answer {
        await ask(.patch, "/v1/phones/\(phone)", body)
    }
}

extension LocatedJSON {
    /// The value at a path of member names and indexes.
    subscript(first: String, second: String, others: String...) -> LocatedJSON? {
        self[path: [first, second] + others]
    }
}
