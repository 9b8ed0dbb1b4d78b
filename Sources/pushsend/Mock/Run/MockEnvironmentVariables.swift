import APNSVocabulary
import ArgumentParser
import MockAPNs
import PushCommandLine
import PushPlatform

/// The variables that a program uses to find a mock. Their names are documented and stable.
struct MockEnvironmentVariables {
    let variables: [(name: String, value: String)]

    /// - Parameters:
    ///   - note: The note of the mock.
    ///   - stateFolder: Its state folder, as an absolute path.
    ///   - setsProxy: Whether programs shall use the mock as their proxy for https.
    init(_ note: MockNote, stateFolder: String, setsProxy: Bool) {
        var variables: [(String, String)] = [
            ("APNS_URL", "https://\(note.endpoint)"),
            ("APNS_HOST", note.host),
            ("APNS_PORT", String(note.port)),
            ("APNS_CA", note.authorityFile),
            ("APNS_KEY_FILE", note.keyFile),
            ("APNS_KEY_ID", note.keyID),
            ("APNS_TEAM_ID", note.teamID),
            ("APNS_TOPIC", "com.example.app"),
            ("PUSHSEND_STATE", stateFolder),
            ("NODE_EXTRA_CA_CERTS", note.authorityFile),
            ("SSL_CERT_FILE", "\(stateFolder)/ca-bundle.pem"),
        ]
        if let url = note.consoleURL { variables.insert(("MOCK_URL", url), at: 8) }
        if let token = note.accessToken { variables.append(("PUSHSEND_MOCK_TOKEN", token)) }
        if setsProxy {
            // Programs read one or the other; both, because a proxy of the machine may be in either.
            for name in ["HTTPS_PROXY", "https_proxy"] { variables.append((name, "http://\(note.endpoint)")) }
            // APNS_URL and MOCK_URL need no proxy.
            let environment = ProcessInfo.processInfo.environment
            let given = (environment["NO_PROXY"] ?? environment["no_proxy"] ?? "").split(separator: ",").map(
                String.init)
            let excluded = (given + ["localhost", "127.0.0.1", "::1"]).joined(separator: ",")
            for name in ["NO_PROXY", "no_proxy"] { variables.append((name, excluded)) }
        }
        self.variables = variables
    }

    private static let systemBundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// Writes the system's authorities and the mock's into one file, for programs that know only SSL_CERT_FILE.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be written.
    static func writeBundle(authorityFile: String, stateFolder: String) throws {
        let own = (try? SettingsFile.read(authorityFile)) ?? []
        let given = ProcessInfo.processInfo.environment["SSL_CERT_FILE"].map { [$0] } ?? []
        let path = "\(stateFolder)/ca-bundle.pem"
        let system = (given + systemBundles).lazy.filter { $0 != path }.compactMap {
            try? SettingsFile.read($0)
        }
        var bundle = system.first ?? []
        if let last = bundle.last, last != 0x0A { bundle.append(0x0A) }
        bundle += own
        do {
            try Data(bundle).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw CommandFailure.unwritable(stateFolder: stateFolder)
        }
    }
}

/// Whether the variables of a mock make it the proxy of programs.
struct ProxyVariableOption: ParsableArguments {
    @Flag(
        name: .customLong("https-proxy"),
        help: "Also set HTTPS_PROXY, for senders whose host you can't set: the mock answers for Apple's hosts.")
    var isOn = false
}
