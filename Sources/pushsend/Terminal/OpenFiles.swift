import NIOCore
import PushPlatform

/// How many files, and so connections, the system allows this process to open.
enum OpenFiles {
    /// Raises the limit to the maximum. Shells start with about 1000 for old programs, and allow far more on request.
    static func allowAsManyAsPossible() {
        var limit = rlimit()
        guard getrlimit(Self.resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(Self.resource, &limit)
    }

    /// Checks that there are enough descriptors, because SwiftNIO ends the process if it cannot open those of an event
    /// loop.
    ///
    /// - Throws: ``CommandFailure`` if there are too few.
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

    /// The minimum number of descriptors. An event loop needs three, and there is one loop per processor and one for
    /// the command. The others are for signals, keys, the name lookup, and a connection. If these are missing later, an
    /// error reports it.
    private static var needed: Int { 3 * (System.coreCount + 1) + 10 }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
