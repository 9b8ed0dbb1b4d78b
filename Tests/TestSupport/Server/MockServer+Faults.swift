package import MockAPNs

extension MockServer {
    /// Starts a mock with faults in it, and stops it after the body.
    package static func with(
        _ faults: [MockFault] = [], adjust: (inout MockConfiguration) -> Void = { _ in },
        _ body: (MockServer) async throws -> Void
    ) async throws {
        var configuration = MockConfiguration()
        adjust(&configuration)
        let mock = try await MockServer.start(configuration, credentials: .ofThisProcess)
        do {
            for fault in faults { try mock.inject(fault) }
            try await body(mock)
        } catch {
            await mock.stop()
            throw error
        }
        await mock.stop()
    }
}
