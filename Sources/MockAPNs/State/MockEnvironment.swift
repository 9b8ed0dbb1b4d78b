internal import APNSVocabulary

/// The two environments of APNs.
public enum MockEnvironment: String, Sendable, Hashable, CaseIterable {
    /// For apps installed by Xcode.
    case sandbox
    /// For apps from TestFlight, ad hoc distribution and the App Store.
    case production

    /// The environment of one of Apple's hosts; `nil` for another host.
    ///
    /// - Parameter host: A host name, in any letter case.
    init?(appleHost host: String) {
        let host = host.lowercased()
        guard APNSHost.all.contains(host) else { return nil }
        self = host.contains("sandbox") || host.contains("development") ? .sandbox : .production
    }
}
