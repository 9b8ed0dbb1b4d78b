internal import NIOConcurrencyHelpers

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
        var environment: MockEnvironment
        var bundleID: String
    }

    private struct Entry: Equatable {
        var channels: [String: MockChannel] = [:]
        /// The list as an answer. It is replaced when a channel is added or removed.
        var list = ChannelListBody()
    }

    private var apps: [App: Entry] = [:]
    /// The number of channels of all apps.
    private(set) var total = 0

    /// The maximum number of channels of all apps together, so that a client cannot fill the memory of the mock.
    static let maximum = 100_000

    func channel(_ id: String, of app: String, in environment: MockEnvironment) -> MockChannel? {
        apps[App(environment: environment, bundleID: app)]?.channels[id]
    }

    /// The channels of an app, sorted by id.
    func all(of app: String, in environment: MockEnvironment) -> [MockChannel] {
        (apps[App(environment: environment, bundleID: app)]?.channels ?? [:]).values.sorted { $0.id < $1.id }
    }

    /// The body of the answer with all channels of an app, sorted by id. It is made once for each change.
    func list(of app: String, in environment: MockEnvironment) -> [UInt8] {
        guard let entry = apps[App(environment: environment, bundleID: app)] else { return ChannelListBody.bytes([]) }
        return entry.list.bytes { entry.channels.keys.sorted() }
    }

    func count(of app: String, in environment: MockEnvironment) -> Int {
        apps[App(environment: environment, bundleID: app)]?.channels.count ?? 0
    }

    mutating func add(_ channel: MockChannel, of app: String, in environment: MockEnvironment) {
        let key = App(environment: environment, bundleID: app)
        if apps[key, default: Entry()].channels.updateValue(channel, forKey: channel.id) == nil { total += 1 }
        apps[key]?.list = ChannelListBody()
    }

    mutating func remove(_ id: String, of app: String, in environment: MockEnvironment) {
        let key = App(environment: environment, bundleID: app)
        guard apps[key]?.channels.removeValue(forKey: id) != nil else { return }
        total -= 1
        apps[key]?.list = ChannelListBody()
        if apps[key]?.channels.isEmpty == true { apps[key] = nil }
    }

    mutating func countBroadcast(_ id: String, of app: String, in environment: MockEnvironment) {
        apps[App(environment: environment, bundleID: app)]?.channels[id]?.broadcasts += 1
    }
}

/// The list of an app's channels as an answer. All requests between two changes share its memory.
private final class ChannelListBody: Sendable, Equatable {
    private let made = NIOLockedValueBox<[UInt8]?>(nil)

    /// Returns the body, made of these ids if it was not made before.
    func bytes(_ ids: () -> [String]) -> [UInt8] {
        made.withLockedValue { made in
            if let made { return made }
            let bytes = Self.bytes(ids())
            made = bytes
            return bytes
        }
    }

    static func bytes(_ ids: [String]) -> [UInt8] {
        var text = #"{"channels":["#
        for (index, id) in ids.enumerated() { text += index == 0 ? "\"\(id)\"" : ",\"\(id)\"" }
        return Array((text + "]}").utf8)
    }

    /// The body follows from the channels, which are compared.
    static func == (left: ChannelListBody, right: ChannelListBody) -> Bool { true }
}
