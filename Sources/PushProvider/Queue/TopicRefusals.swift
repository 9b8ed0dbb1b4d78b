/// Counts the answers of one connection that refuse a topic, and decides when the topic is refused for good. A pure value.
///
/// `TopicDisallowed`, `BadTopic` and `MissingTopic` speak of the topic and of who sends, not of one device: sending more to the same
/// topic brings the same answer. Other topics are not affected.
struct TopicRefusals: Equatable {
    /// After this many refusals of one topic in a row, and after every further such number, the topic is refused for good.
    static let limit = 20
    /// How many topics are counted at a time; a peer's answers cannot make the table grow beyond it.
    static let mostTopics = 1000

    private var counts: [String: Int] = [:]

    /// Whether no topic is being counted, so that an acceptance has nothing to reset.
    var isEmpty: Bool { counts.isEmpty }
    /// How many topics are counted.
    var count: Int { counts.count }

    /// An answer refused the topic.
    ///
    /// - Returns: Whether nothing more should be sent to the topic for now.
    mutating func refused(_ topic: String) -> Bool {
        if counts[topic] == nil, counts.count >= Self.mostTopics { counts.removeAll() }
        counts[topic, default: 0] += 1
        return counts[topic, default: 0].isMultiple(of: Self.limit)
    }

    /// An answer to the topic said something else: the topic itself is fine.
    mutating func answered(_ topic: String) {
        counts[topic] = nil
    }
}
