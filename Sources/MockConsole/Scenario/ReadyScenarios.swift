import APNSVocabulary
import MockAPNs
import PushHTTP

enum ReadyScenarios {
    /// In YAML.
    static let all: [(name: String, text: String)] = [
        (
            "apns-outage",
            """
            description: APNs is down. Every request gets 503, and one connection in three is refused.
            faults:
              - name: outage
                steps: [{answer: {status: 503, reason: ServiceUnavailable}}]
              - name: refused connections
                at: connection_accepted
                when: {connection: {from: 2, every: 3}}
                steps: [{close_connection: tcp_reset}]
            """
        ),
        (
            "throttled",
            """
            description: Every other request exceeds its device's rate limit.
            faults:
              - name: throttled
                when: {match: {every: 2}}
                steps: [{answer: {status: 429, reason: TooManyRequests}}]
            """
        ),
        (
            "token-expired",
            """
            description: APNs' clock is two hours ahead, so every provider token has expired.
            clock: 2h
            """
        ),
        (
            "key-revoked",
            """
            description: The mock's keys were revoked. Every provider token gets InvalidProviderToken.
            revoked_keys: all
            """
        ),
        (
            "rolling-goaway",
            """
            description: APNs restarts its servers. Each connection gets a GOAWAY after 20 requests, and closes a second later.
            faults:
              - name: goaway
                when: {request_on_connection: {from: 20, through: 20}}
                steps: [{add_fields: {}}, {go_away: {last_stream: this}}, {wait_ms: 1000}, {close_connection: tls_closed}]
            """
        ),
        (
            "half-open",
            """
            description: Every third connection goes silent after five requests, as if a router had dropped it.
            faults:
              - name: half-open
                when: {connection: {from: 1, every: 3}, request_on_connection: {from: 6}}
                steps: [fall_silent]
            """
        ),
        (
            "slow-network",
            """
            description: Half of the answers take longer than 300 ms, and one in a hundred takes 3 s.
            faults:
              - name: slow
                steps: [{wait_ms: {median: 300, p99: 3000}}, judge]
            """
        ),
        (
            "uninstalled-devices",
            """
            description: Every fifth push is to a device from which the app was removed. It gets 410 Unregistered.
            faults:
              - name: uninstalled
                when: {match: {every: 5}}
                steps: [{answer: {status: 410, reason: Unregistered, timestamp_ms: 1760000000000}}]
            """
        ),
        (
            "wrong-environment",
            """
            description: The device tokens belong to the other environment. Every push gets BadDeviceToken.
            settings: {unknown_tokens: reject}
            """
        ),
    ]

    /// Finds a scenario by its name.
    ///
    /// - Throws: ``APIProblem`` if there is none.
    static func named(_ name: String) throws -> Scenario {
        guard let (name, text) = all.first(where: { $0.name == name }) else {
            throw APIProblem.notFound(
                "There is no scenario \(name.debugDescription).",
                remedy: "Ready scenarios: \(all.map(\.name).joined(separator: ", ")).")
        }
        return try Scenario(try YAMLReader.read(Array(text.utf8)), name: name)
    }
}
