/// The two environments of APNs.
public enum MockEnvironment: String, Sendable, Hashable, CaseIterable {
    /// For apps installed by Xcode.
    case sandbox
    /// For apps from TestFlight, ad hoc distribution and the App Store.
    case production
}
