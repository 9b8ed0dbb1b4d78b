package enum DedicatedThread {
    /// Starts a thread. Returns whether the system has one.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let start = Unmanaged.passRetained(Start(name, body)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        guard pthread_create(&thread, nil, { Start.run($0) }, start) == 0 else {
            Unmanaged<Start>.fromOpaque(start).release()
            return false
        }
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
        return true
    }

    private final class Start: Sendable {
        private let name: String
        private let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            (self.name, self.body) = (name, body)
        }

        /// The main function of the thread.
        static func run(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let start else { return nil }
            let own = Unmanaged<Start>.fromOpaque(start).takeRetainedValue()
            setName(own.name)
            own.body()
            return nil
        }
    }

    /// Names the thread of the caller, for debuggers.
    private static func setName(_ name: String) {
        #if canImport(Darwin)
            pthread_setname_np(name)
        #else
            // The function for it is hidden from Swift. Linux keeps 15 bytes.
            let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
            if file < 0 { return }
            let bytes = Array(name.utf8.prefix(15))
            _ = write(file, bytes, bytes.count)
            close(file)
        #endif
    }
}
