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

    /// The host that manages the broadcast channels of ``production``.
    public static let productionChannels = "api-manage-broadcast.push.apple.com"
    /// The port of ``productionChannels``. The numbers of the two ports are as Apple documents them.
    public static let productionChannelsPort = 2196
    /// The host that manages the broadcast channels of ``sandbox``.
    public static let sandboxChannels = "api-manage-broadcast.sandbox.push.apple.com"
    /// The port of ``sandboxChannels``.
    public static let sandboxChannelsPort = 2195

    /// All push hosts that Apple documents or has documented. The mock accepts all of them.
    public static let all = [
        production,
        sandbox,
        "api.development.push.apple.com",
        "api-broadcast.push.apple.com",
        "api-broadcast.sandbox.push.apple.com",
        productionChannels,
        sandboxChannels,
    ]
}
