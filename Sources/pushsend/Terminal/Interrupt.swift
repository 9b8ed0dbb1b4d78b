import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ctrl-C and a polite kill, as an end of a task instead of an end of the process.
enum Interrupt {
    /// Runs `body` and cancels it at SIGINT or SIGTERM, so that it can say what became of what.
    ///
    /// - Returns: What `body` returned, and whether it was interrupted.
    static func cancelling<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> (result: Result, interrupted: Bool) {
        let task = Task { try await body() }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { task.cancel() }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        let result = try await task.value
        return (result, task.isCancelled)
    }

    /// Returns at the first SIGINT or SIGTERM.
    static func wait() async {
        _ = try? await cancelling {
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        }
    }
}
