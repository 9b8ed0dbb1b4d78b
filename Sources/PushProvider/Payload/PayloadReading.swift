package import PushJSON

/// What a look into a payload tells, taken once per payload and not once per notification.
package struct PayloadReading: Hashable, Sendable {
    /// Why bytes cannot be a payload. The lint says more, with the place.
    package enum Obstacle: Hashable, Sendable {
        case notJSON
        case notAnObject
        case apsIsNoObject
        /// Of a value that was made in Swift: a number in it has no form in JSON.
        case notFinite
    }

    /// The values of `event` in a Live Activity.
    package static let activityEvents = ["start", "update", "end"]

    /// Why it cannot be sent; `nil` when it can.
    package var obstacle: Obstacle?
    /// The push type that the payload can only mean; `nil` where it is not plain.
    package var plainPushType: PushType?
    /// `aps` has something to see or hear.
    var isVisible = false

    package init(of bytes: [UInt8], isFinite: Bool = true) {
        self.init(of: Self.tree(of: bytes))
        if !isFinite { obstacle = .notFinite }
    }

    /// `nil` for what is not JSON.
    package init(of tree: JSONTree?) {
        guard let tree else {
            obstacle = .notJSON
            return
        }
        read(tree)
    }

    /// The values of a payload; `nil` when it is not JSON, or begins with a byte order mark.
    package static func tree(of bytes: [UInt8]) -> JSONTree? {
        bytes.starts(with: WholeText.mark) ? nil : try? JSONReader.tree(bytes)
    }

    private mutating func read(_ tree: JSONTree) {
        guard tree.nodes[JSONTree.root].kind == .object else {
            obstacle = .notAnObject
            return
        }
        guard let aps = tree.member("aps", of: JSONTree.root) else {
            if tree.member("mdm", of: JSONTree.root) != nil { plainPushType = .mdm }
            return
        }
        guard tree.nodes[aps].kind == .object else {
            obstacle = .apsIsNoObject
            return
        }
        readAps(aps, of: tree)
    }

    private mutating func readAps(_ aps: Int, of tree: JSONTree) {
        var isForApp: Bool?
        var activity = ActivitySigns()
        for child in tree.children(of: aps) {
            if tree.hasKey("alert", child) || tree.hasKey("badge", child) || tree.hasKey("sound", child) {
                isVisible = true
            } else if tree.hasKey("content-available", child) {
                isForApp = tree.number(of: child) == 1
            } else {
                activity.look(at: child, tree)
            }
        }
        if activity.isPlain(besides: isVisible || isForApp != nil, isForApp: isForApp != nil) {
            plainPushType = .liveactivity
        } else if isVisible {
            plainPushType = .alert
        } else if isForApp == true {
            plainPushType = .background
        }
    }
}

/// What in an `aps` says that it is that of a Live Activity. People leave out or misspell any of its keys, so no single one
/// decides.
private struct ActivitySigns {
    /// Keys that nothing else has.
    private var own = 0
    /// Its times, which no other kind has either, but which an app may have put there by itself.
    private var times = 0
    /// Words that an app may well use for something of its own.
    private var common = 0

    mutating func look(at child: Int, _ tree: JSONTree) {
        if tree.hasKey("content-state", child) || tree.hasKey("attributes-type", child)
            || tree.hasKey("input-push-token", child) || tree.hasKey("input-push-channel", child)
        {
            own += 1
        } else if tree.hasKey("stale-date", child) || tree.hasKey("dismissal-date", child) {
            times += 1
        } else if tree.hasKey("timestamp", child) || tree.hasKey("attributes", child)
            || tree.hasKey("event", child) && tree.text(of: child).map(PayloadReading.activityEvents.contains) == true
        {
            common += 1
        }
    }

    /// - Parameters:
    ///   - other: Whether the payload could be something else: an alert, or a call to the app.
    ///   - isForApp: Whether it has `content-available`, which no Live Activity needs.
    /// - Returns: Whether it can only be a Live Activity.
    func isPlain(besides other: Bool, isForApp: Bool) -> Bool {
        if own > 0 || times > 0 && !other { return true }
        return times + common >= 2 && (times > 0 || !isForApp)
    }
}
