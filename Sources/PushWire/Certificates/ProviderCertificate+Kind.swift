extension ProviderCertificate {
    /// One of Apple's services.
    package enum Environment: String, Hashable, Sendable, CaseIterable {
        /// For apps that Xcode has installed.
        case sandbox
        /// For apps from TestFlight, ad hoc builds and the App Store.
        case production
    }

    /// The kind of a certificate, from the beginning of its common name.
    package struct Kind: Hashable, Sendable {
        /// The beginning of the common name; empty for the unknown kind.
        package let prefix: String
        /// The kind in a few words.
        package let name: String
        /// The services that accept it; never empty.
        package let environments: Set<Environment>
        /// Whether it can send pushes. Certificates that sign apps look similar, but cannot.
        package let sendsPushes: Bool

        private init(_ prefix: String, _ name: String, _ environments: Set<Environment>, sendsPushes: Bool = true) {
            self.prefix = prefix
            self.name = name
            self.environments = environments
            self.sendsPushes = sendsPushes
        }

        /// The known kinds. A certificate has the kind with the longest prefix that matches.
        package static let known: [Kind] = [
            Kind("Apple Push Services: ", "push certificate of an app", both),
            Kind("Apple Development IOS Push Services: ", "push certificate of an app, for the sandbox", [.sandbox]),
            Kind("Apple Production IOS Push Services: ", "push certificate of an app, for production", [.production]),
            Kind("Apple Development Mac Push Services: ", "push certificate of a Mac app, for the sandbox", [.sandbox]),
            Kind(
                "Apple Production Mac Push Services: ", "push certificate of a Mac app, for production", [.production]),
            Kind("VoIP Services: ", "certificate for calls (VoIP)", both),
            Kind("WatchKit Services: ", "certificate for complications of watch faces", both),
            Kind("Pass Type ID: ", "certificate of a kind of Wallet passes", both),
            Kind("Website Push ID: ", "certificate for pushes of a website to Safari", both),
            Kind("APSP:", "certificate for device management (MDM)", [.production]),
            Kind("Apple Development: ", "certificate that signs apps", both, sendsPushes: false),
            Kind("Apple Distribution: ", "certificate that signs apps", both, sendsPushes: false),
            Kind("iPhone Developer: ", "certificate that signs apps", both, sendsPushes: false),
            Kind("iPhone Distribution: ", "certificate that signs apps", both, sendsPushes: false),
            Kind("Mac Developer: ", "certificate that signs apps", both, sendsPushes: false),
            Kind("3rd Party Mac Developer ", "certificate that signs apps", both, sendsPushes: false),
            Kind("Developer ID ", "certificate that signs apps", both, sendsPushes: false),
        ]

        /// A certificate that issues other certificates, such as the one that a client needs to trust a mock.
        package static let authority = Kind("", "certificate authority (CA)", both, sendsPushes: false)
        package static let unknown = Kind("", "certificate of an unknown kind", both)

        private static let both: Set<Environment> = [.sandbox, .production]

        package static func kind(ofCommonName name: String) -> Kind {
            known.filter { name.hasPrefix($0.prefix) }.max { $0.prefix.utf8.count < $1.prefix.utf8.count } ?? unknown
        }
    }
}
