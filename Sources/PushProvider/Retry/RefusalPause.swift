/// How long nothing is sent after APNs has refused the credentials themselves, or a topic.
enum RefusalPause {
    static let duration: Duration = .seconds(60)
}
