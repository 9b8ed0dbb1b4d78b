/// What a key may do.
package enum KeyScope: String, Sendable, Hashable, CaseIterable {
    /// Send pushes.
    case send
    /// See jobs, results, counts and gone tokens.
    case read
    /// Cancel what waits.
    case cancel
    /// Everything, also to put dead letters into the queue again and to forget that tokens are gone.
    case admin
}
