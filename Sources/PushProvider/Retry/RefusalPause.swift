/// How long nothing is sent after APNs has refused the credentials, or for a topic after APNs has refused that topic.
enum RefusalPause {
    static let duration: Duration = .seconds(60)
}
