/// The pause after APNs has refused the credentials or a topic.
enum RefusalPause {
    /// For this time the client sends nothing, or nothing to the refused topic. Then it tries again.
    static let duration: Duration = .seconds(60)
}
