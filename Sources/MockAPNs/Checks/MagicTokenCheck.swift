import PushPlatform

extension Check {
    static let magicToken = Check(
        "magic token", .device, MockMagicToken.allCases.compactMap(\.reason),
        MockFact(
            id: "magic-token",
            """
            64 decimal digits that begin with 990410, 990400, 990429 or 990503 are a magic token of the mock, which has a \
            fixed answer. APNs has no such tokens.
            """, .guess)
    ) { input in
        guard input.apns.acceptsMagicTokens, input.device == nil,
            let magic = MockMagicToken(token: input.deviceTokenText),
            let reason = magic.reason
        else { return nil }
        let weekAgo = Date(timeIntervalSince1970: input.now.timeIntervalSince1970 - 7 * 86_400)
        return Finding(
            reason, "\(magic.rawValue)… is a magic token of the mock: \(magic.meaning).", remedy: .noMagic,
            since: magic == .unregistered ? weekAgo : nil)
    }
}
