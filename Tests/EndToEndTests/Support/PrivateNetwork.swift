import Foundation

/// A network of a test's own in which Apple's host names lead to this machine: there a mock can be Apple.
enum PrivateNetwork {
    /// Linux lets a user have one, unless its settings forbid it.
    static let isPossible: Bool = {
        guard BuiltProgram.isInstalled("unshare"), BuiltProgram.isInstalled("ip") else { return false }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command("true")
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// The command that runs a script of `sh` in it, from a folder that has a file `hosts`.
    static func command(_ script: String) -> [String] {
        let prepare = "ip link set lo up && if [ -f hosts ]; then mount --bind hosts /etc/hosts; fi"
        return ["unshare", "--user", "--map-root-user", "--mount", "--net", "sh", "-c", "\(prepare) && \(script)"]
    }
}
