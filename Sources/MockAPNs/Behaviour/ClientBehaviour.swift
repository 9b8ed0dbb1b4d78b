internal import DequeModule
import PushPlatform

/// Detects behaviour that is visible only over several requests: many provider tokens, many connections, device tokens used
/// again after a rejection. Its memory is limited.
struct ClientBehaviour: Sendable {
    /// The time within which provider tokens and short connections are counted, in seconds.
    static let window = 1200.0
    /// The maximum number of new provider tokens of one key within the window. Each further one breaks the rule.
    static let tokensPerKey = 10
    /// The maximum number of connections in a row with a single request each. Each further one breaks the rule.
    static let shortConnections = 3
    /// The maximum number of remembered device tokens, and of key ids. Beyond it, the oldest device token or all key ids are
    /// forgotten.
    static let memory = 10_000

    /// The newest provider tokens of each key: when each was first seen, and its `iat`.
    private var newTokens: [String: Deque<(seen: Date, issuedAt: Date)>] = [:]
    private var rejectedTokens: Set<String> = []
    private var rejectedInOrder: Deque<String> = []
    private var shortInARow = 0
    private var lastShort: Date?

    /// A connection begins to use a provider token that it has not used before. Other connections may use the same one.
    mutating func newToken(ofKey keyID: String, issuedAt: Date, at now: Date) -> MockViolation? {
        if newTokens[keyID] == nil, newTokens.count >= Self.memory { newTokens.removeAll() }
        var tokens = newTokens[keyID] ?? []
        while let first = tokens.first, now - first.seen > Self.window { tokens.removeFirst() }
        defer { newTokens[keyID] = tokens }
        guard !tokens.contains(where: { $0.issuedAt == issuedAt }) else { return nil }
        tokens.append((now, issuedAt))
        if tokens.count > Self.tokensPerKey + 1 { tokens.removeFirst() }
        guard tokens.count > Self.tokensPerKey else { return nil }
        return BehaviourRule.tokenPerPush.violation(
            "More than \(Self.tokensPerKey) different provider tokens with this key id within 20 minutes.")
    }

    /// A request was answered with Unregistered or BadDeviceToken.
    mutating func rejected(deviceToken: String) -> MockViolation? {
        let token = deviceToken.lowercased()
        guard rejectedTokens.insert(token).inserted else {
            return BehaviourRule.rejectedTokenAgain.violation("The device token was rejected before.")
        }
        rejectedInOrder.append(token)
        if rejectedInOrder.count > Self.memory { rejectedTokens.remove(rejectedInOrder.removeFirst()) }
        return nil
    }

    /// A device has registered with its token, which may be used again.
    mutating func registered(deviceToken: String) {
        let token = deviceToken.lowercased()
        if rejectedTokens.remove(token) != nil { rejectedInOrder.removeAll { $0 == token } }
    }

    /// A client has closed a connection.
    ///
    /// - Parameters:
    ///   - requests: The number of requests on it.
    ///   - now: The time of the end.
    /// - Returns: The rule that this breaks, if it breaks one.
    mutating func connectionEnded(requests: Int, at now: Date) -> MockViolation? {
        guard requests > 0 else { return nil }
        guard requests == 1 else {
            shortInARow = 0
            return nil
        }
        if let lastShort, now - lastShort > 60 { shortInARow = 0 }
        lastShort = now
        shortInARow += 1
        guard shortInARow > Self.shortConnections else { return nil }
        return BehaviourRule.connectionPerPush.violation(
            "\(shortInARow) connections in a row had one request each, each within a minute of the one before.")
    }
}

/// Counts the provider tokens of one connection.
struct ConnectionBehaviour: Sendable {
    /// The number of provider tokens on one connection within 20 minutes that breaks the rule. Fewer are allowed.
    static let tokens = 3

    /// The newest provider tokens: when each was first seen, and its `authorization`.
    private var newTokens: Deque<(seen: Date, authorization: String)> = []

    /// The connection begins to use a provider token, or uses an earlier one again.
    mutating func newToken(_ authorization: String, at now: Date) -> MockViolation? {
        while let first = newTokens.first, now - first.seen > ClientBehaviour.window { newTokens.removeFirst() }
        guard !newTokens.contains(where: { $0.authorization == authorization }) else { return nil }
        newTokens.append((now, authorization))
        if newTokens.count > Self.tokens { newTokens.removeFirst() }
        guard newTokens.count == Self.tokens else { return nil }
        return BehaviourRule.tokenPerPush.violation(
            "At least \(Self.tokens) different provider tokens on this connection within 20 minutes.")
    }
}
