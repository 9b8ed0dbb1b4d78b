import MockAPNs

/// A mock with its own port, log, devices, faults and clock, for one test or one team.
struct MockSpace: Sendable {
    /// The name of the space that exists from the start.
    static let main = "default"

    let name: String
    let mock: MockServer
    /// Where scenarios act.
    let stage: Stage

    init(name: String, mock: MockServer) {
        self.name = name
        self.mock = mock
        stage = Stage(mock)
    }
}
