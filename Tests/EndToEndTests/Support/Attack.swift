import TestSupport
import Testing

/// The result of an attack of `Clients/h2_attack.py`.
struct Attack {
    /// The text of the GOAWAY that the attacker got.
    var goAway: String?
    /// Its code.
    var code: Int?
    /// What was answered to something that is no HTTP/2.
    var text: String?
    var isClosed: Bool
    var opened: Int?
    var refused: Int?

    /// ENHANCE_YOUR_CALM.
    static let calm = 11
}

extension RunningMock {
    /// Attacks it in one manner, and expects that an honest client beside it is served all the while.
    func attack(
        _ manner: String, count: Int = 20_000, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Attack {
        let python = try BuiltProgram.preparedPython()
        let bearer = "bearer \(try await providerToken())"
        let ended = try await workspace.run(
            [python, BuiltProgram.client("h2_attack.py"), manner, "\(port)", caFile, bearer, "\(count)"],
            limit: .seconds(600))
        let result = JSON(parsing: ended.output)
        #expect(ended.errors == "", sourceLocation: sourceLocation)
        // The honest client gives up when a mock that an attack has hung makes it wait.
        #expect(result["failure"] == .null, sourceLocation: sourceLocation)
        // One before the attack, and one after it.
        #expect(result["honest"]?.integer ?? 0 >= 2, sourceLocation: sourceLocation)
        return Attack(
            goAway: result["goaway"]?.string, code: result["code"]?.integer, text: result["text"]?.string,
            isClosed: result["closed"] == true, opened: result["opened"]?.integer, refused: result["refused"]?.integer)
    }

    /// Stops it, and finds a line that it has noted about a connection; `nil` when there was none.
    func notice(with words: String) async -> String? {
        program.interrupt()
        return await program.end().errorLines.first { $0.contains(words) }
    }
}
