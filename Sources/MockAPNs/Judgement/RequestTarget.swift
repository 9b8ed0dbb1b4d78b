/// The target of a request, from its path.
public enum RequestTarget: Hashable, Sendable {
    /// `/3/device/` and the text after it, which should be a device token. Empty if it is missing.
    case device(String)
    /// A path that APNs does not serve.
    case unknown

    /// Parses a path.
    ///
    /// - Parameter path: The `:path` of a request.
    public init(path: String) {
        if path.hasPrefix("/3/device/") {
            let rest = path.dropFirst(10)
            self = rest.utf8.contains(UInt8(ascii: "/")) ? .unknown : .device(String(rest))
        } else {
            self = path == "/3/device" ? .device("") : .unknown
        }
    }
}
