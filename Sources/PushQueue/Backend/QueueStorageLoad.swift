/// What other programs do that makes the store of a queue slower.
package struct QueueStorageLoad: Sendable, Hashable {
    /// A transaction that is open.
    package struct Transaction: Sendable, Hashable {
        /// How long it has been open.
        package var age: Duration
        /// Who has opened it, for people.
        package var owner: String

        /// Creates a transaction.
        package init(age: Duration, owner: String) {
            (self.age, self.owner) = (age, owner)
        }
    }

    /// The oldest open transaction of any program; `nil` if there is none. Rows that were removed or changed since its start
    /// cannot be cleaned up until it ends, so each step takes longer.
    package var oldest: Transaction?
    /// How many connections of other roles may have older transactions, which the role of the queue has no permission to see.
    package var hidden = 0
    /// The number of rows of unfinished jobs that are waiting to be cleaned up.
    package var deadRows = 0

    /// Creates a load of nothing.
    package init() {}
}
