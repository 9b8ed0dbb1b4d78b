/// Checks a notification for a connection with a certificate.
///
/// Source: Apple, "Sending notification requests to APNs": such a connection accepts only the topics of the
/// certificate.
package struct CertificateCheck {
    let certificate: PushCertificate

    package init(certificate: PushCertificate) {
        self.certificate = certificate
    }

    package func findings(_ notification: PushNotification, _ inferred: PushNotification.Inferred) -> [PushFinding] {
        if let finding = needsToken(notification, inferred) ?? topicIsMissing(notification) { return [finding] }
        return [topicIsInCertificate(notification)].compactMap { $0 }
    }

    /// Live Activities over a certificate get the answer TopicDisallowed. For pushtotalk, widgets, controls and
    /// accessory, Apple accepts a certificate that lists their topic, but no such certificate is known.
    private func needsToken(_ notification: PushNotification, _ inferred: PushNotification.Inferred) -> PushFinding? {
        let isListed = certificate.topics.contains(notification.topic)
        switch inferred.pushType {
        case .location, .liveactivity: break
        case .pushtotalk, .widgets, .controls, .accessory: if isListed { return nil }
        default: return nil
        }
        return .error(
            "certificate-push-type", about: APNSHeader.pushType,
            "Push type \(inferred.pushType) can't be sent with a certificate.", "Use a key (.p8).")
    }

    private func topicIsMissing(_ notification: PushNotification) -> PushFinding? {
        guard notification.topic.isEmpty, certificate.topics.count > 1 else { return nil }
        return .error(
            "certificate-topic-missing", about: APNSHeader.topic,
            "The topic is missing, and the certificate has several topics.", "Use one of \(listed).")
    }

    private func topicIsInCertificate(_ notification: PushNotification) -> PushFinding? {
        guard !notification.topic.isEmpty, !certificate.topics.isEmpty,
            !certificate.topics.contains(notification.topic)
        else { return nil }
        let shown = TopicChecks.printable(notification.topic)
        return .error(
            "certificate-topic", about: APNSHeader.topic,
            "The topic \"\(shown)\" isn't in the certificate. It is for \(listed).",
            "Use a topic of the certificate, or use the certificate of that app.")
    }

    private var listed: String {
        let maximum = 10
        let topics = certificate.topics.prefix(maximum).map { PeerText.printable($0) }.joined(separator: ", ")
        return certificate.topics.count > maximum ? "\(topics) and \(certificate.topics.count - maximum) more" : topics
    }
}

extension PushNotification {
    /// Returns the notification with the topic of the certificate, if there is one.
    package func addressed(by credentials: PushCredentials) -> PushNotification {
        var addressed = self
        addressed.topic = credentials.certificate?.topic(for: effectivePushType) ?? topic
        return addressed
    }

    /// Returns which notifications it replaces on its device, and which replace it.
    ///
    /// - Parameter credentials: The credentials that it is sent with: they can give the topic.
    /// - Returns: The key; `nil` without a collapse id.
    package func collapseKey(_ credentials: PushCredentials?) -> CollapseKey? {
        guard collapseID != nil else { return nil }
        var whole = self
        if topic.isEmpty, let credentials { whole = addressed(by: credentials) }
        whole = whole.settled
        return CollapseKey(whole, whole.inferred)
    }
}
