internal import PushPlatform
internal import PushProvider

/// The state of the files of an app's credentials, to notice that one of them was replaced.
struct CredentialFiles: Equatable {
    private struct State: Equatable {
        /// The path without symbolic links: a secret that is mounted in a container changes by its links.
        var path: String
        var modified: Date?
        var bytes: Int?
        var number: Int?
    }

    private var states: [State]

    /// Reads the state of the files. Files that do not exist have a state, too.
    init(of credentials: AppSettings.Credentials) {
        switch credentials {
        case .key(let file, _, _): states = [Self.state(file)]
        case .identity(let file, let passphraseFile):
            states = ([file] + [passphraseFile].compactMap(\.self)).map(Self.state)
        }
    }

    private static func state(_ path: String) -> State {
        var real = path
        if let resolved = realpath(path, nil) {
            real = String(cString: resolved)
            free(resolved)
        }
        let attributes = (try? FileManager.default.attributesOfItem(atPath: real)) ?? [:]
        return State(
            path: real, modified: attributes[.modificationDate] as? Date, bytes: attributes[.size] as? Int,
            number: attributes[.systemFileNumber] as? Int)
    }
}

extension AppSettings {
    /// Reads the credentials from their files.
    ///
    /// - Throws: ``AppSettingsError``, which says what is wrong with which file.
    func readCredentials() throws(AppSettingsError) -> PushCredentials {
        switch credentials {
        case .key(let file, let keyID, let teamID):
            do throws(CredentialsError) {
                return .token(try ProviderKey(p8File: file, keyID: keyID, teamID: teamID))
            } catch {
                throw AppSettingsError(name, error.description)
            }
        case .identity(let file, let passphraseFile):
            let passphrase = try passphraseFile.map { (path) throws(AppSettingsError) in try self.passphrase(path) }
            do throws(CredentialsError) {
                return .identity(try Self.identity(file, passphrase))
            } catch {
                throw AppSettingsError(name, error.description)
            }
        }
    }

    private static func identity(
        _ file: String, _ passphrase: Passphrase?
    ) throws(CredentialsError) -> PushIdentity {
        let name = file.lowercased()
        return name.hasSuffix(".p12") || name.hasSuffix(".pfx")
            ? try PushIdentity(p12File: file, passphrase: passphrase)
            : try PushIdentity(certificateFile: file, passphrase: passphrase)
    }

    private func passphrase(_ path: String) throws(AppSettingsError) -> Passphrase {
        guard var data = FileManager.default.contents(atPath: path) else {
            throw AppSettingsError(
                name,
                "The passphrase file \"\(path)\" cannot be read. Create it, or give the service the right to read it.")
        }
        defer { data.resetBytes(in: data.startIndex..<data.endIndex) }
        var line = data[...]
        while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
        return Passphrase(bytes: line)
    }
}
