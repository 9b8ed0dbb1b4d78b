public import MockAPNs
public import PushProvider
import PushTesting

/// A mock APNs and a client of it, for the length of an example.
///
/// - Parameter body: What is done with them.
/// - Throws: What `body` throws.
public func withMock(_ body: @Sendable (MockServer, PushClient) async throws -> Void) async throws {
    let mock = try await MockServer.start()
    let client = try mock.client()
    try await body(mock, client)
    await client.shutdown()
    await mock.stop()
}

/// Ends the example with a message if something is wrong.
///
/// - Parameters:
///   - claim: What must hold.
///   - message: What must hold, as text.
/// - Throws: An error with the message, if it does not hold.
public func check(_ claim: Bool, _ message: String) throws {
    if !claim { throw Disappointment(description: message) }
}

struct Disappointment: Error, CustomStringConvertible {
    var description: String
}

extension MockServer {
    /// The newest push that it has taken.
    ///
    /// - Throws: An error, when there is none or it was not taken.
    public func taken() throws -> MockArrival {
        guard let arrival = arrivals.last else { throw Disappointment(description: "nothing has arrived") }
        guard arrival.verdict.isAccepted else {
            throw Disappointment(description: "the mock has refused \(arrival.payload)")
        }
        return arrival
    }
}
