import PushPlatform

/// The mock that a connection belongs to now, and the number of the connection there.
struct ConnectionPlace {
    let state: MockState
    let number: Int

    func changeRecord(_ change: (inout MockConnectionRecord) -> Void) { state.records.change(number, change) }

    /// Records a rule that the client broke, not with one request.
    func add(_ violation: MockViolation, at now: Date) {
        state.violations.add([violation], connection: number, arrival: nil, at: now)
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
        now = snapshot.now
        self.left = left
        number = snapshot.requestsBefore
    }

    mutating func countRequest() -> Int {
        left -= 1
        number += 1
        return number
    }
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
