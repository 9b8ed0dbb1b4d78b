/// Times in the forms of ISO 8601 that people and programs write.
package enum ISOTime {
    /// Reads a time of RFC 3339. The clock, the seconds, the zone and the colon of the zone can be missing: `2026-11-22`,
    /// `2026-11-22 07:00`, `2026-11-22T07:00:00.123+0100`. Without a zone the time is UTC. The zone can be `UTC` or `GMT`, or both a
    /// number and UTC, and a space can precede it: `2026-11-22 07:00:00 UTC`, `2026-11-22 07:00:00 +0000 UTC`.
    ///
    /// - Returns: Milliseconds since 1970; `nil` for any other text.
    package static func millisecondsSince1970(_ text: String) -> Int64? {
        RFC3339.millisecondsSince1970(text) ?? RFC3339.millisecondsSince1970(completed(text))
    }

    /// Adds what RFC 3339 demands to a text that is a time without it. Other texts do not become times.
    private static func completed(_ text: String) -> String {
        let date = text.prefix(10)
        var clock = text.dropFirst(10)
        if let name = ["UTC", "GMT"].first(where: { clock.suffix(3).uppercased() == $0 }) {
            clock.removeLast(name.count)
        }
        while clock.last == " " { clock.removeLast() }
        guard !clock.isEmpty else { return "\(date)T00:00:00Z" }
        var zone = "Z"
        if let sign = clock.lastIndex(where: { $0 == "+" || $0 == "-" }) {
            let hours = clock[sign...].prefix(3)
            var minutes = clock[sign...].dropFirst(3)
            if minutes.first == ":" { minutes.removeFirst() }
            zone = "\(hours):\(minutes.isEmpty ? "00" : minutes)"
            clock = clock[..<sign]
        } else if clock.last == "Z" || clock.last == "z" {
            clock.removeLast()
        }
        while clock.last == " " { clock.removeLast() }
        let seconds = clock.utf8.count == "T07:00".utf8.count ? ":00" : ""
        return "\(date)\(clock)\(seconds)\(zone)"
    }
}
