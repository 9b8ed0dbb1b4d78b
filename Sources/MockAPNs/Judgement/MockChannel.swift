/// A broadcast channel of the mock.
public struct MockChannel: Sendable, Hashable {
    /// The id, in base64.
    public let id: String
    /// Whether it stores the newest broadcast (storage policy 1).
    public let storesNewest: Bool
    /// The number of broadcasts that the mock has accepted for it.
    public internal(set) var broadcasts = 0

    package init(id: String, storesNewest: Bool) {
        (self.id, self.storesNewest) = (id, storesNewest)
    }
}

/// The channels of all apps. The two environments have different channels.
package struct ChannelRegistry: Equatable, Sendable {
    private struct App: Hashable {
        var environment: World.Environment
        var bundleID: String
    }

    private var channels: [App: [String: MockChannel]] = [:]

    func channel(_ id: String, of app: String, in environment: World.Environment) -> MockChannel? {
        channels[App(environment: environment, bundleID: app)]?[id]
    }

    /// The channels of an app, sorted by id.
    func all(of app: String, in environment: World.Environment) -> [MockChannel] {
        (channels[App(environment: environment, bundleID: app)] ?? [:]).values.sorted { $0.id < $1.id }
    }

    func count(of app: String, in environment: World.Environment) -> Int {
        channels[App(environment: environment, bundleID: app)]?.count ?? 0
    }

    mutating func add(_ channel: MockChannel, of app: String, in environment: World.Environment) {
        channels[App(environment: environment, bundleID: app), default: [:]][channel.id] = channel
    }

    mutating func remove(_ id: String, of app: String, in environment: World.Environment) {
        channels[App(environment: environment, bundleID: app)]?[id] = nil
    }

    mutating func countBroadcast(_ id: String, of app: String, in environment: World.Environment) {
        channels[App(environment: environment, bundleID: app)]?[id]?.broadcasts += 1
    }
}

/// What an accepted request changes. It is applied before the next request is judged.
package enum Effect: Hashable, Sendable {
    /// A push counts for the rate limit of its device token.
    case pushed(token: String)
    /// A channel is created.
    case created(MockChannel, app: String, World.Environment)
    /// A channel is deleted.
    case deleted(id: String, app: String, World.Environment)
    /// A broadcast is sent to a channel.
    case broadcast(id: String, app: String, World.Environment)
}

/// Which part of the provider API a port serves.
package enum ServedAPI: Hashable, Sendable {
    /// Pushes to devices, and broadcasts.
    case pushes
    /// The management of the channels of one environment.
    case channels(World.Environment)
}
