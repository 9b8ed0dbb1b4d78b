import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider

/// Detects what an argument is, and inspects it.
struct Inspector {
    /// The key to check provider tokens with, and its file.
    var key: (key: PushProviderKey, file: String)?
    var passphrase: PushPassphrase?
    /// Asks for a passphrase; `nil` if the user cannot be asked.
    var ask: ((_ name: String) throws -> PushPassphrase?)?
    /// The current time in seconds since 1970.
    var now: Int

    /// Inspects a path, a provider token, a device token, or one of them on standard input (`-`).
    func inspect(_ thing: String) throws -> Inspection {
        if thing == "-" { return try standardInput() }
        if FileManager.default.fileExists(atPath: thing) { return try file(thing) }
        let text = thing.trimmed
        if let token = ProviderTokenText.token(in: text) {
            return providerToken(token, name: DeviceToken.shortened(token))
        }
        if text.contains("-----BEGIN") || Self.looksLikePath(text) { return try file(thing) }
        guard Self.looksLikeDeviceToken(text) else {
            return .unreadable(
                .other, name: String(text.prefix(60)),
                "There is no such file, and it isn't a provider token or a device token.", .noSuchFile)
        }
        return DeviceTokenInspection.inspect(thing)
    }

    // MARK: Detecting the input

    /// Whether the text has a slash, or a short extension such as `.p12`.
    private static func looksLikePath(_ text: String) -> Bool {
        guard !text.contains(where: \.isWhitespace) else { return false }
        if text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../") || text.hasPrefix("~") { return true }
        guard let dot = text.lastIndex(of: ".") else { return false }
        return (1...16).contains(text[dot...].count - 1)
    }

    /// Whether the text is mostly hex digits, or is base64, a common wrong device token, or a token with console output
    /// before it.
    private static func looksLikeDeviceToken(_ text: String) -> Bool {
        let digits = text.count { $0.isHexDigit }
        return digits * 2 >= text.count || text.utf8.count >= 40 || DeviceTokenForm(text) != nil
    }

    // MARK: Reading

    private func file(_ path: String) throws -> Inspection {
        var file: KeyFile
        do throws(PushCredentialsError) {
            file = try KeyFile(path: path)
        } catch {
            var isFolder = false
            let isNoFile =
                error.code == .noSuchFile
                || FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
            let status: ExitStatus = isNoFile ? .noSuchFile : .credentials
            // If the text of a key was given instead of its path, do not print it.
            let name = KeyFile.isContents(path) ? "file" : path
            return .unreadable(.other, name: name, error.description, status)
        }
        defer { file.wipe() }
        var inspection = try inspect(file, name: path)
        inspection["file"] = .string(path)
        return inspection
    }

    private func standardInput() throws -> Inspection {
        let name = "standard input"
        guard let bytes = try? StandardInput.read() else {
            return .unreadable(.other, name: name, "Standard input is empty.", .invalidInput)
        }
        var file = KeyFile(bytes: bytes, isOpenToOthers: false)
        defer { file.wipe() }
        return try inspect(file, name: name)
    }

    private func inspect(_ file: KeyFile, name: String) throws -> Inspection {
        switch InspectedForm(file.bytes) {
        case .keyPEM: KeyInspection.inspect(file, name: name)
        case .providerToken(let token): providerToken(token, name: name)
        case .deviceToken(let text):
            Self.looksLikeDeviceToken(text)
                ? DeviceTokenInspection.inspect(text, name: name)
                : .unreadable(.other, name: name, InspectedForm.nothingKnown, .invalidInput)
        case .other(let sentence): .unreadable(.other, name: name, sentence, .credentials)
        case .data(let sentence): .unreadable(.other, name: name, sentence, .invalidInput)
        case .certificatePEM: try certificate(name) { $0.pem(file) }
        case .certificateDER: CertificateInspection(name: name, passphrase: nil, now: now).cer(file)
        case .pkcs12: try certificate(name) { $0.p12(file) }
        }
    }

    /// Asks for the passphrase if the file has one and none was given, at most three times.
    private func certificate(
        _ name: String, _ read: (inout CertificateInspection) -> Inspection
    ) throws -> Inspection {
        var reading = CertificateInspection(name: name, passphrase: passphrase, now: now)
        var inspection = read(&reading)
        guard passphrase == nil else { return inspection }
        for _ in 0..<3 where reading.needsPassphrase {
            guard let answer = try ask?(name) else { break }
            reading.passphrase = answer
            inspection = read(&reading)
        }
        return inspection
    }

    private func providerToken(_ token: String, name: String) -> Inspection {
        ProviderTokenInspection(name: name, key: key, now: now).inspect(token)
    }
}
