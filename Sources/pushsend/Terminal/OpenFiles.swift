import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How many files, and so connections, the system lets this process have.
enum OpenFiles {
    /// Shells begin with a thousand, for the sake of programs of old, and allow far more to those that ask.
    static func allowAsManyAsPossible() {
        var limit = rlimit()
        guard getrlimit(Self.resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(Self.resource, &limit)
    }

    /// SwiftNIO ends the process where it cannot open what an event loop needs.
    ///
    /// - Throws: ``CommandFailure`` when there are too few.
    static func requireEnough() throws {
        var limit = rlimit()
        guard getrlimit(Self.resource, &limit) == 0, let most = Int(exactly: limit.rlim_cur), most < 1024 else {
            return
        }
        let open = (0..<Int32(most)).count { fcntl($0, F_GETFD) != -1 }
        guard most - open < needed else { return }
        allowAsManyAsPossible()
        guard getrlimit(Self.resource, &limit) == 0, Int(exactly: limit.rlim_cur) ?? .max < open + needed else {
            return
        }
        throw CommandFailure(
            status: .ourFault,
            message: """
                The system lets this process have \(limit.rlim_cur) files and connections open, and it needs at least \(open + needed): \
                raise the limit with "ulimit -n 1024". Nothing was sent.
                """)
    }

    /// An event loop takes three, and there is one for each processor and one for the command. The rest are signals, keys, the look-up
    /// of names and a connection; where those find no room, an error says so.
    private static var needed: Int { 3 * (System.coreCount + 1) + 10 }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
