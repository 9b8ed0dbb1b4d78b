extension MockRequest {
    package enum Target: Hashable, Sendable {
        /// `/3/device/` and the text after it, which should be a device token. Empty if it is missing.
        case device(String)
        /// `/4/broadcasts/apps/` and a bundle id: a broadcast to a channel.
        case broadcast(app: String)
        /// `/1/apps/`, a bundle id and `/channels`: creates, reads or deletes a channel, depending on the method.
        case channels(app: String)
        /// `/1/apps/`, a bundle id and `/all-channels`: the list of channels.
        case allChannels(app: String)
        /// A path that APNs does not serve.
        case unknown

        /// Parses a path.
        ///
        /// - Parameter path: The `:path` of a request.
        package init(path: String) {
            if path.hasPrefix("/3/device/") {
                let rest = path.dropFirst(10)
                self = rest.utf8.contains(UInt8(ascii: "/")) ? .unknown : .device(String(rest))
            } else if path == "/3/device" {
                self = .device("")
            } else {
                self.init(segments: path.split(separator: "/", omittingEmptySubsequences: false))
            }
        }

        private init(segments: [Substring]) {
            switch (segments.count, segments.first) {
            case (5, "") where segments[1...3] == ["4", "broadcasts", "apps"] && !segments[4].isEmpty:
                self = .broadcast(app: String(segments[4]))
            case (5, "") where segments[1...2] == ["1", "apps"] && !segments[3].isEmpty && segments[4] == "channels":
                self = .channels(app: String(segments[3]))
            case (5, "")
            where segments[1...2] == ["1", "apps"] && !segments[3].isEmpty && segments[4] == "all-channels":
                self = .allChannels(app: String(segments[3]))
            default: self = .unknown
            }
        }

        func isNewChannel(_ method: String) -> Bool {
            if case .channels = self { method == "POST" } else { false }
        }

        /// The bundle id in the path of a broadcast or a channel.
        package var app: String? {
            switch self {
            case .broadcast(let app), .channels(let app), .allChannels(let app): app
            case .device, .unknown: nil
            }
        }
    }
}
