/// The consequences if APNs refuses the credentials.
enum CredentialsAction: Equatable {
    case none
    /// A connection reports the refusal to its pool. The pool ends all notifications in the queue, drains all
    /// connections, and logs the refusal once.
    case stop
}
