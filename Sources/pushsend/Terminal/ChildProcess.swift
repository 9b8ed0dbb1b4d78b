internal import NIOPosix
import PushCommandLine
import PushPlatform

/// A command that runs as a child of this process, with its standard input and output.
struct ChildProcess {
    let processID: pid_t

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - arguments: The name of the command, looked up in PATH, and its arguments.
    ///   - variables: The variables to set, besides those of this process; `nil` removes one.
    /// - Throws: The error number of the system: `ENOENT` if there is no such command.
    init(_ arguments: [String], setting variables: [(name: String, value: String?)]) throws(SystemFailure) {
        var environment = ProcessInfo.processInfo.environment
        for (name, value) in variables { environment[name] = value }
        Self.keepOwnFiles()
        let argv = arguments.map { strdup($0) } + [nil]
        let settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + settings { free(pointer) } }
        // The child must not inherit our handlers' effect: signals that this process ignores would stay ignored.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in [SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXFSZ] {
            sigaddset(&defaults, number)
        }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var child = pid_t()
        let result = posix_spawnp(&child, arguments[0], nil, &attributes, argv, settings)
        guard result == 0 else { throw SystemFailure(number: result) }
        processID = child
    }

    /// The files that this process was started with. The child inherits them.
    private static let inherited = Set(openFiles())

    /// Remembers which files are open. To be called before this process opens any.
    static func rememberInheritedFiles() { _ = inherited }

    /// Keeps sockets and files that this process has opened from the child: a program that the child leaves behind would keep the
    /// mock's ports.
    private static func keepOwnFiles() {
        for file in openFiles() where !inherited.contains(file) || isEventQueue(file) {
            _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        }
    }

    /// Whether a file is an event queue of the system. Those are always of this process; some are opened early.
    private static func isEventQueue(_ file: Int32) -> Bool {
        var target = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/self/fd/\(file)", &target, target.count)
        return count > 0 && target.prefix(count).starts(with: "anon_inode:[event".utf8.map { CChar(bitPattern: $0) })
    }

    private static func openFiles() -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        return names.compactMap { Int32($0) }
    }

    /// Waits for the end of the child, on a separate thread.
    ///
    /// - Returns: Its exit code; 128 and the number of the signal that ended it.
    func end() async -> Int32 {
        let processID = processID
        let code = try? await NIOThreadPool.singleton.runIfActive { Self.wait(processID) }
        return code ?? ExitStatus.ourFault.code
    }

    private static func wait(_ child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { return ExitStatus.ourFault.code }
        }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}

struct SystemFailure: Error {
    var number: Int32

    var text: String { String(cString: strerror(number)) }
}
