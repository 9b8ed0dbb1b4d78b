/// The target of a push.
public enum QueueJobTarget: Sendable, Hashable {
    /// A device token, in hex. The queue returns it in lower-case letters.
    case device(String)
    /// The id of a broadcast channel.
    case channel(String)
}
