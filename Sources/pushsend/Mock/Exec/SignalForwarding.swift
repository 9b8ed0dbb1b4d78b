import PushPlatform

/// Passes signals on to a child: those by which people and CI systems end, stop or inform a program.
///
/// Ctrl-C on a terminal reaches the child by itself, because both are in the foreground. So only signals that a process has sent
/// are passed on.
enum SignalForwarding {
    // A signal handler has no context and must not lock, so it can only read and write static variables. Only the main thread
    // sets the child, once, before it looks at the early signal: a signal in between is passed on by the handler.

    /// The process id of the child; 0 before it is started.
    nonisolated(unsafe) private static var child: pid_t = 0
    /// A signal that arrived before there was a child; 0 if none did.
    nonisolated(unsafe) private static var early: Int32 = 0

    /// Installs the handlers. From now on, these signals do not end this process. Call it before the child is started.
    static func prepare() {
        var action = sigaction()
        action.sa_flags = SA_SIGINFO | SA_RESTART
        #if canImport(Darwin)
            action.__sigaction_u.__sa_sigaction = { number, info, _ in SignalForwarding.forward(number, info) }
        #else
            action.__sigaction_handler.sa_sigaction = { number, info, _ in SignalForwarding.forward(number, info) }
        #endif
        for number in numbers { sigaction(number, &action, nil) }
    }

    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

    /// Removes the handlers: the child has ended, and a signal ends this process.
    static func stop() {
        child = 0
        for number in numbers { signal(number, SIG_DFL) }
    }

    /// Passes signals on to this child, also a signal that has already arrived.
    static func start(to processID: pid_t) {
        child = processID
        if early != 0 { kill(processID, early) }
    }

    /// Called by the handlers: only functions that are allowed there.
    private static func forward(_ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?) {
        let errorBefore = errno
        if let info, info.pointee.si_code <= 0 {
            if child == 0 { early = number } else { kill(child, number) }
        }
        errno = errorBefore
    }
}
