import Dispatch
import MockAPNs

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `pushsend mock` without its log: it checks and answers requests, and neither keeps nor prints them.
///
/// Prints its port, and runs until it is killed. With LOG-COUNT, it keeps a log of this length. Its `main` is not `async`,
/// because valgrind cannot follow an `async` one.
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
