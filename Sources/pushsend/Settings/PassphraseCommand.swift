import PushCommandLine
import PushPlatform
import PushProvider

/// Runs the command of a profile that prints a passphrase, such as that of a password manager.
enum PassphraseCommand {
    /// The maximum number of bytes that are read of its output.
    private static let maximumBytes = 64 << 10

    /// Returns the first line of the command's output. It runs in the folder of the configuration file; it may ask
    /// questions on the terminal.
    ///
    /// - Throws: ``CommandFailure`` with 77 if the command fails or prints nothing. Its output is never shown.
    static func passphrase(_ setting: Setting, folder: String) throws -> PushPassphrase {
        let (output, status) = try run(setting.value, in: folder)
        guard status == 0 else {
            throw CommandFailure(
                .credentials,
                "The passphrase_command of \(setting.origin.description) failed with exit code \(status).")
        }
        let passphrase = PushPassphrase(firstLineOf: output)
        guard !passphrase.isEmpty else {
            throw CommandFailure(
                .credentials, "The passphrase_command of \(setting.origin.description) printed no passphrase.")
        }
        return passphrase
    }

    private static func run(_ command: String, in folder: String) throws -> ([UInt8], Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw cannotStart(errno) }
        defer { close(ends[0]) }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
        let arguments = ["/bin/sh", "-c", #"cd -- "$0" && eval "$1""#, folder, command]
        let argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] =
            ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in argv + variables { free(pointer) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, "/bin/sh", &actions, nil, argv, variables)
        close(ends[1])
        guard code == 0 else { throw cannotStart(code) }
        let output = drain(ends[0])
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return (output, signal == 0 ? status >> 8 & 0xFF : 128 + signal)
    }

    /// Reads to the end, so that the command is not ended by a closed pipe.
    private static func drain(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            if bytes.count < maximumBytes { bytes += part[..<count] }
        }
    }

    private static func cannotStart(_ number: Int32) -> CommandFailure {
        CommandFailure(.credentials, "The passphrase_command can't be started: \(String(cString: strerror(number))).")
    }
}
