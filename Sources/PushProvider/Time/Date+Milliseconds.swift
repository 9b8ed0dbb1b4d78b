import PushPlatform

extension Date {
    /// The time in milliseconds since 1970, like Apple's timestamps; `nil` if it is not a valid time.
    var millisecondsSince1970: Int64? {
        Int64(exactly: (timeIntervalSince1970 * 1000).rounded(.down))
    }

    init(millisecondsSince1970 milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
