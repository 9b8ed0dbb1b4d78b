package import PushJSON

/// The facts from parsing a payload. It is parsed once for each payload, not for each notification.
package struct PayloadFacts: Hashable, Sendable {
    /// Why bytes cannot be a payload. The lint reports details, with the position.
    package enum Mistake: Hashable, Sendable {
        case notJSON
        case notAnObject
        case apsIsNoObject
        /// A value that was created in Swift has a number that JSON cannot represent.
        case notFinite
    }

    package static let activityEvents = ["start", "update", "end"]

    /// Why the payload cannot be sent; `nil` if it can.
    package var problem: Mistake?
    /// The push type that the payload clearly has; `nil` if it is not clear.
    package var plainPushType: PushType?
    /// Whether `aps` has an alert, a badge or a sound.
    var isVisible = false

    package init(of bytes: [UInt8], isFinite: Bool = true) {
        self.init(of: Self.tree(of: bytes))
        if !isFinite { problem = .notFinite }
    }

    /// Reads a parsed payload.
    ///
    /// - Parameter tree: The values; `nil` if the bytes are not JSON.
    package init(of tree: JSONTree?) {
        guard let tree else {
            problem = .notJSON
            return
        }
        read(tree)
    }

    /// Returns the values of a payload; `nil` if it is not JSON, or begins with a byte order mark.
    package static func tree(of bytes: [UInt8]) -> JSONTree? {
        bytes.starts(with: WholeText.mark) ? nil : try? JSONReader.tree(bytes)
    }

    private mutating func read(_ tree: JSONTree) {
        guard tree.nodes[JSONTree.root].kind == .object else {
            problem = .notAnObject
            return
        }
        guard let aps = tree.member("aps", of: JSONTree.root) else {
            if tree.member("mdm", of: JSONTree.root) != nil { plainPushType = .mdm }
            return
        }
        guard tree.nodes[aps].kind == .object else {
            problem = .apsIsNoObject
            return
        }
        readAps(aps, of: tree)
    }

    private mutating func readAps(_ aps: Int, of tree: JSONTree) {
        var isForApp: Bool?
        var activity = ActivitySigns()
        var accessory = AccessorySigns()
        // What is null is not there.
        for child in tree.children(of: aps) where tree.nodes[child].kind != .null {
            if tree.hasKey("alert", child) || tree.hasKey("badge", child) || tree.hasKey("sound", child) {
                isVisible = true
            } else if tree.hasKey("content-available", child) {
                isForApp = tree.number(of: child) == 1
            } else {
                activity.inspect(child, tree)
                accessory.inspect(child, tree)
            }
        }
        if activity.isPlain(besides: isVisible || isForApp != nil, isForApp: isForApp != nil) {
            plainPushType = .liveactivity
        } else if !isVisible, isForApp == nil, accessory.isPlain {
            plainPushType = .accessory
        } else if isVisible {
            plainPushType = .alert
        } else if isForApp == true {
            plainPushType = .background
        }
    }
}

/// The signs in `aps` of a Live Activity. Any key may be missing or misspelled, so no single key is required.
private struct ActivitySigns {
    /// The number of keys that only a Live Activity has.
    private var own = 0
    /// The number of keys for times. No other kind has them, but an app may have added them itself.
    private var times = 0
    /// The number of keys that an app may also use for something else.
    private var common = 0

    mutating func inspect(_ child: Int, _ tree: JSONTree) {
        if tree.hasKey("content-state", child) || tree.hasKey("attributes-type", child)
            || tree.hasKey("input-push-token", child) || tree.hasKey("input-push-channel", child)
        {
            own += 1
        } else if tree.hasKey("stale-date", child) || tree.hasKey("dismissal-date", child) {
            times += 1
        } else if tree.hasKey("timestamp", child) || tree.hasKey("attributes", child)
            || tree.hasKey("event", child) && tree.text(of: child).map(PayloadFacts.activityEvents.contains) == true
        {
            common += 1
        }
    }

    /// Whether the payload can only be a Live Activity.
    ///
    /// - Parameters:
    ///   - other: Whether the payload could also be an alert or a background notification.
    ///   - isForApp: Whether it has `content-available`, which a Live Activity does not need.
    /// - Returns: `true` if it is clear.
    func isPlain(besides other: Bool, isForApp: Bool) -> Bool {
        if own > 0 || times > 0 && !other { return true }
        return times + common >= 2 && (times > 0 || !isForApp)
    }
}

/// The signs in `aps` of a push to an accessory: its encrypted data, and one of the keys that Apple documents beside it.
private struct AccessorySigns {
    private var hasData = false
    private var hasOthers = false

    mutating func inspect(_ child: Int, _ tree: JSONTree) {
        if tree.hasKey("encryptedData", child) {
            hasData = true
        } else if tree.hasKey("sessionIdentifier", child) || tree.hasKey("keyID", child)
            || tree.hasKey("messageIndex", child)
        {
            hasOthers = true
        }
    }

    var isPlain: Bool { hasData && hasOthers }
}
