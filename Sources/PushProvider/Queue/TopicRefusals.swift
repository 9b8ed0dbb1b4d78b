/// Counts the answers of one connection that refuse a topic, and decides when the refusal is permanent. A pure value.
///
/// `TopicDisallowed`, `BadTopic` and `MissingTopic` concern the topic and the sender, not one device: every
/// notification for this topic gets the same answer. Other topics are not affected.
struct TopicRefusals: Equatable {
    /// After this many refusals of one topic in a row, and again after each further such number, the refusal is permanent.
    static let limit = 20
    /// The maximum number of topics that are counted at a time, so that a peer's answers cannot fill the memory. Beyond
    /// it, the counts start again.
    static let maximumTopics = 1000

    private var counts: [String: Int] = [:]

    /// Whether no topic is being counted, so that an acceptance has nothing to reset.
    var isEmpty: Bool { counts.isEmpty }
    var count: Int { counts.count }

    /// Records an answer that refuses the topic.
    ///
    /// - Returns: Whether nothing more should be sent to the topic for now.
    mutating func refused(_ topic: String) -> Bool {
        if counts[topic] == nil, counts.count >= Self.maximumTopics { counts.removeAll() }
        counts[topic, default: 0] += 1
        return counts[topic, default: 0].isMultiple(of: Self.limit)
    }

    /// Records any other answer for the topic: the topic itself is not refused.
    mutating func answered(_ topic: String) {
        counts[topic] = nil
    }
}
