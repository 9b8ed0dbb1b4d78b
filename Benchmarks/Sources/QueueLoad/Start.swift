#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Lets several processes begin at the same time.
enum Start {
    /// Says that this process is ready, and waits for a line.
    static func wait() {
        print("ready")
        fflush(nil)
        _ = readLine()
    }
}
