/// A topic that is no app. Its pushes have formats of their own.
package enum SpecialTopic: Sendable {
    /// A pass type id or an order type id of Wallet.
    case wallet
    /// The website push id of old versions of Safari.
    case website
    /// The subject UID of an MDM certificate.
    case management

    /// Recognizes a topic by its beginning; `nil` for the bundle id of an app.
    package init?(_ topic: String) {
        if topic.hasPrefix("pass.") || topic.hasPrefix("order.") {
            self = .wallet
        } else if topic.hasPrefix("web.") {
            self = .website
        } else if topic.hasPrefix("com.apple.mgmt.") {
            self = .management
        } else {
            return nil
        }
    }
}
