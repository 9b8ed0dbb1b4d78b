import MockAPNs
import VirtualPhones

/// A mock with its own port, log, devices, faults and clock, for one test or one team.
struct MockSpace: Sendable {
    /// The name of the space that exists from the start.
    static let main = "default"

    let name: String
    /// The path of its API.
    var path: String { name == Self.main ? "/v1" : "/v1/namespaces/\(name)" }
    let mock: MockServer
    /// Where scenarios act.
    let stage: Stage
    /// What users would see.
    let phones: PhoneFeed

    init(name: String, mock: MockServer, opener: PhoneEnvelopeOpener?) {
        self.name = name
        self.mock = mock
        stage = Stage(mock)
        phones = PhoneFeed(mock, opener: opener)
    }
}
