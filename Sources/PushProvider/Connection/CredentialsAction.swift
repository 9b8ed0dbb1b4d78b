/// What follows when APNs refuses the credentials.
enum CredentialsAction: Equatable {
    case none
    /// A connection reports it to its pool. The pool ends everything that is queued, drains every connection, and logs it once.
    case stop
}
