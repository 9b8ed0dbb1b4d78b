/// Apple's host names for sending, and their ports.
public enum APNSHost {
    /// The domain of all of Apple's hosts for push.
    package static let domain = "push.apple.com"
    /// Devices with apps from TestFlight, ad hoc builds and the App Store.
    public static let production = "api.push.apple.com"
    /// Devices with apps that Xcode has put there.
    public static let sandbox = "api.sandbox.push.apple.com"
    /// All names of the sandbox, its older one too.
    public static let sandboxNames = [sandbox, "api.development.push.apple.com"]
    /// The ordinary port.
    public static let port = 443
    /// The twin for networks that close 443 to such traffic.
    public static let alternatePort = 2197

    /// Every push host that Apple documents or has documented: what a stand-in must be able to answer for.
    public static let all = [
        production,
        sandbox,
        "api.development.push.apple.com",
        "api-broadcast.push.apple.com",
        "api-broadcast.sandbox.push.apple.com",
        "api-manage-broadcast.push.apple.com",
        "api-manage-broadcast.sandbox.push.apple.com",
    ]
}
