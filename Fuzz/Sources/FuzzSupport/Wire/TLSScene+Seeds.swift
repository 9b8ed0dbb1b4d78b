extension TLSScene {
    /// Seeds for each side. They contain no keys; each run makes new ones.
    package static func scripts() -> [String: [UInt8]] {
        let talk: [UInt8] = [7, 5, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 6, 2, 0x6F, 0x6B, 11, 11, 10]
        var seeds: [String: [UInt8]] = [:]
        for choices in UInt8(0)..<16 {
            seeds["talk-\(choices)"] = [choices, 1, 3] + talk
            seeds["spoiled-handshake-\(choices)"] = [choices, 1, 0, 11, 4, 5, 0, 0, 0, 40, 0, 1, 3, 0, 11]
        }
        seeds["spoiled-record"] = [0, 1, 3] + talk + [7, 3, 1, 2, 3, 5, 0, 0, 0, 9, 0, 1, 3, 0, 11]
        seeds["repeated-record"] = [0, 1, 3, 7, 3, 1, 2, 3, 5, 0, 4, 0, 0, 200, 3, 0]
        seeds["forged-alert"] = [0, 1, 3, 2, 1, 2, 2, 40, 3, 0]
        seeds["closed"] = [0, 1, 3] + talk + [9, 0, 5, 3, 0, 9, 1, 11]
        return seeds
    }
}
