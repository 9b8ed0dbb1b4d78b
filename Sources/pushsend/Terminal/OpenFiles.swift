import NIOCore
import PushCommandLine
import PushPlatform

/// How many files, and so connections, the system allows this process to open.
enum OpenFiles {
    /// Raises the limit to the maximum. Shells start with about 1000 for old programs, and allow far more on request.
    static func allowAsManyAsPossible() { SystemLimit.openFiles.raise() }

    /// Checks that there are enough descriptors, because SwiftNIO ends the process if it cannot open those of an event
    /// loop.
    ///
    /// - Throws: ``CommandFailure`` if there are too few.
    static func requireEnough() throws {
        guard let most = SystemLimit.openFiles.current, most < 1024 else { return }
        let open = (0..<Int32(most)).count { fcntl($0, F_GETFD) != -1 }
        guard most - open < needed else { return }
        allowAsManyAsPossible()
        guard let raised = SystemLimit.openFiles.current, raised < open + needed else { return }
        throw CommandFailure(
            .ourFault,
            """
            The system lets this process have \(raised) files and connections open, and it needs at least \(open + needed): \
            raise the limit with "ulimit -n 1024". Nothing was sent.
            """)
    }

    /// The minimum number of descriptors. An event loop needs three, and there is one loop per processor and one for
    /// the command. The others are for signals, keys, the name lookup, and a connection. If these are missing later, an
    /// error reports it.
    private static var needed: Int { 3 * (System.coreCount + 1) + 10 }
}
