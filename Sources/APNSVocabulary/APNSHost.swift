/// Apple's host names for sending, and their ports.
public enum APNSHost {
    /// The domain of all of Apple's hosts for push.
    package static let domain = "push.apple.com"
    /// The host for apps from TestFlight, ad hoc builds and the App Store.
    public static let production = "api.push.apple.com"
    /// The host for apps installed by Xcode.
    public static let sandbox = "api.sandbox.push.apple.com"
    /// All names of the sandbox host, including the older one.
    public static let sandboxNames = [sandbox, "api.development.push.apple.com"]
    /// The default port.
    public static let port = 443
    /// The alternative port, for networks that block 443 for this traffic.
    public static let alternatePort = 2197

    /// All push hosts that Apple documents or has documented. The mock accepts all of them.
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
