import Dispatch
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
/// Prints the port that it listens on, and plays until it is killed. With a count it keeps a log of that length. Its `main`
/// is not `async`, because valgrind cannot follow one that is.
@main
struct SilentMock {
    static func main() {
        let arguments = CommandLine.arguments
        guard (2...3).contains(arguments.count) else { return print("use: SilentMock STATE-FOLDER [LOG-COUNT]") }
        var configuration = MockConfiguration()
        configuration.logCount = arguments.count == 3 ? Int(arguments[2]) ?? 0 : 0
        play(configuration, in: arguments[1])
        DispatchSemaphore(value: 0).wait()
    }

    private nonisolated static func play(_ configuration: MockConfiguration, in folder: String) {
        Task {
            do {
                let mock = try await MockServer.start(configuration, credentials: .kept(in: folder))
                print("\"port\":\(mock.port)")
                fflush(nil)
            } catch {
                print(error)
                exit(1)
            }
        }
    }
}
