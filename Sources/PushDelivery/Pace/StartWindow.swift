internal import PushPlatform

/// Limits how many jobs are started and not completed: after a crash, at most this many outcomes are unknown. A pure value.
///
/// An app may have at most four times as many started jobs as there are free slots. So an app alone gets most of the
/// window, and there is always room for another app, also if this one waits for a slow server.
///
/// Of the pushes that replace each other on a device, one is started at a time.
struct StartWindow: Equatable {
    /// The maximum number of started jobs of all apps.
    let limit: Int
    /// How many times the free slots an app may have.
    static let share = 4

    private(set) var total = 0
    private var started: [String: Int] = [:]
    /// The keys of the started pushes that replace others.
    private var keys: Set<UUID> = []

    /// - Parameter limit: The maximum number of started jobs of all apps: at least 1.
    init(limit: Int) {
        self.limit = limit
    }

    func count(of app: String) -> Int { started[app] ?? 0 }

    /// How many more jobs of an app may be started now.
    func room(for app: String) -> Int {
        let (free, own) = (limit - total, count(of: app))
        guard free > 0 else { return 0 }
        // With one more started job there is one free slot less: own + n <= share * (free - n).
        let room = (Self.share * free - own) / (Self.share + 1)
        return own == 0 ? max(room, 1) : max(room, 0)
    }

    mutating func start(_ count: Int, of app: String) {
        total += count
        started[app, default: 0] += count
    }

    mutating func end(_ count: Int, of app: String) {
        total -= count
        let left = self.count(of: app) - count
        started[app] = left > 0 ? left : nil
    }

    /// Records that a push with a key is about to be started. Returns false if another one with the same key is started.
    mutating func take(_ key: UUID) -> Bool { keys.insert(key).inserted }

    /// Records that the push with a key is completed, or was not started after all.
    mutating func free(_ key: UUID) { keys.remove(key) }
}
