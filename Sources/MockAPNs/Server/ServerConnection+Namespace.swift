internal import NIOCore
import PushPlatform
internal import PushWire

/// Moves the connection between the namespaces of one port: the key id of its provider token chooses.
extension ServerConnection {
    /// Moves the connection to another mock, which judges and logs its requests from now on. Its record ends here, and continues
    /// there: under a new number, or under the number that it had there before.
    func move(to other: MockState) {
        guard other !== state, !isOver else { return }
        // Answers to earlier requests belong to the namespace of these requests.
        flush()
        requests.leave()
        limits.leave()
        let left = state.records.end(number, "the connection continues in another namespace, chosen by a key id")
        state.connections.remove(number)
        let known = requests.number(in: other)
        let number = other.records.adopt(left, as: known)
        enter(other, number: number)
        if let context { other.connections.add(self, on: context.channel, isKnown: known != nil) }
        requests.enter()
    }
}

/// What the checks of a batch of requests need from a mock.
struct BatchView {
    let snapshot: MockState.Snapshot
    let now: Date
    /// The requests of the batch that are still to come.
    private(set) var left: Int
    private var number: Int

    init(of state: MockState, left: Int) {
        snapshot = state.snapshot(for: left)
        now = state.now
        self.left = left
        number = snapshot.requestsBefore
    }

    /// Counts the next request, and returns its number.
    mutating func countRequest() -> Int {
        left -= 1
        number += 1
        return number
    }
}

/// What a namespace knows about a connection that is also used by others.
struct NamespaceView {
    /// The number of the connection there.
    let number: Int
    let facts: ConnectionFacts
    let behaviour: ConnectionBehaviour
}

/// Finds the key id of provider tokens. Most requests of a connection have the same token, so the last result is kept.
struct KeyIDReader {
    private var last: (authorization: String, keyID: String?)?

    mutating func keyID(of authorization: String?) -> String? {
        guard let authorization else { return nil }
        if let last, last.authorization == authorization { return last.keyID }
        let keyID = ProviderTokenReader.keyID(in: authorization)
        last = (authorization, keyID)
        return keyID
    }
}
