internal import PushPlatform
internal import PushProvider

extension AppSettings.Credentials {
    /// The paths of the files.
    var files: [String] {
        switch self {
        case .key(let file, _, _): [file]
        case .identity(let file, let passphraseFile): [file] + [passphraseFile].compactMap(\.self)
        }
    }
}

extension AppSettings {
    /// Reads the credentials from their files.
    ///
    /// - Throws: ``AppSettingsError``, which says what is wrong with which file.
    func readCredentials() throws(AppSettingsError) -> PushCredentials {
        switch credentials {
        case .key(let file, let keyID, let teamID):
            do throws(PushCredentialsError) {
                return .token(try PushProviderKey(p8File: file, keyID: keyID, teamID: teamID))
            } catch {
                throw AppSettingsError(name, error.description)
            }
        case .identity(let file, let passphraseFile):
            let passphrase = try passphraseFile.map { (path) throws(AppSettingsError) in try self.passphrase(path) }
            do throws(PushCredentialsError) {
                return .identity(try Self.identity(file, passphrase))
            } catch {
                throw AppSettingsError(name, error.description)
            }
        }
    }

    private static func identity(
        _ file: String, _ passphrase: PushPassphrase?
    ) throws(PushCredentialsError) -> PushIdentity {
        let name = file.lowercased()
        return name.hasSuffix(".p12") || name.hasSuffix(".pfx")
            ? try PushIdentity(p12File: file, passphrase: passphrase)
            : try PushIdentity(certificateFile: file, passphrase: passphrase)
    }

    private func passphrase(_ path: String) throws(AppSettingsError) -> PushPassphrase {
        guard var data = FileManager.default.contents(atPath: path) else {
            throw AppSettingsError(
                name,
                "The passphrase file \"\(path)\" cannot be read. Create it, or give the service permission to read it.")
        }
        defer { data.resetBytes(in: data.startIndex..<data.endIndex) }
        var line = data[...]
        while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
        return PushPassphrase(bytes: line)
    }
}
