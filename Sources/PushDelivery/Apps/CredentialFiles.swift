internal import PushPlatform
package import PushProvider
internal import PushWire

extension AppSettings.Credentials {
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
        return try rethrowing(try credentials.read()) { (error: PushCredentialsError) in
            AppSettingsError(name, error.description + error.rightPlace)
        }
    }
}

extension AppSettings.Credentials {
    /// Reads the credentials from their files. The form of a certificate file is that of its contents, not of its name.
    ///
    /// - Throws: `PushCredentialsError`.
    package func read() throws(PushCredentialsError) -> PushCredentials {
        switch self {
        case .key(let file, let keyID, let teamID):
            return .token(try PushProviderKey(p8File: file, keyID: keyID, teamID: teamID))
        case .identity(let file, let passphraseFile):
            let passphrase = try passphraseFile.map { (path) throws(PushCredentialsError) in
                try PushPassphrase(file: path)
            }
            return .identity(try PushIdentity(file: file, passphrase: passphrase))
        }
    }
}

extension PushCredentialsError {
    /// Where a file belongs that was given in another place: a sentence after the description, or an empty text.
    package var rightPlace: String {
        switch found {
        case .privateKey:
            " A .p8 belongs to \"key\". For a certificate, name a .p12, or a PEM file with certificate and key."
        case .pkcs12, .identity: " It belongs to \"certificate\"."
        case .certificate, .certificateDER:
            " To use it, name a .p12 as \"certificate\", or a PEM file with certificate and key."
        default: ""
        }
    }
}

/// The state of files, to notice that one of them was replaced.
package struct WatchedFiles: Sendable, Equatable {
    private struct State: Sendable, Equatable {
        /// The path without symbolic links: a secret that is mounted in a container changes by its links.
        var path: String
        var modified: Date?
        var bytes: Int?
        var number: Int?
        /// Who may read it: a file that could not be read may be readable now.
        var mode: Int?
        var owner: Int?
        var group: Int?
    }

    private let states: [State]

    /// Reads the state of the files. A file that does not exist also has a state.
    package init(_ paths: [String]) {
        states = paths.map(Self.state)
    }

    private static func state(_ path: String) -> State {
        let real = realPath(of: path) ?? path
        let attributes = (try? FileManager.default.attributesOfItem(atPath: real)) ?? [:]
        return State(
            path: real, modified: attributes[.modificationDate] as? Date, bytes: attributes[.size] as? Int,
            number: attributes[.systemFileNumber] as? Int, mode: attributes[.posixPermissions] as? Int,
            owner: attributes[.ownerAccountID] as? Int, group: attributes[.groupOwnerAccountID] as? Int)
    }
}
