import MockAPNs

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `pushsend mock` without its log: it judges, answers, and neither keeps nor prints what came.
///
/// Prints the port that it listens on, and plays until it is killed.
@main
struct SilentMock {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { return print("use: SilentMock STATE-FOLDER") }
        var configuration = MockConfiguration()
        configuration.logCount = 0
        let mock = try await MockServer.start(
            configuration, credentials: .kept(in: CommandLine.arguments[1]))
        print("\"port\":\(mock.port)")
        fflush(nil)
        while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
    }
}
