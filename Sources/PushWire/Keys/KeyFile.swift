internal import PushPlatform

/// Determines the contents of a key file before OpenSSL reads it. OpenSSL's error is almost always "no start line".
enum KeyFile {
    /// The PEM block to read.
    struct Block: Equatable {
        var isPrivate: Bool
        /// The text from its first dash to the end of the file. It shares the file's memory, so that there is no copy
        /// of the key.
        var text: ArraySlice<UInt8>
    }

    /// Returns the first private key, or otherwise the first public key.
    static func block(in file: [UInt8]) throws(KeyError) -> Block {
        guard file.contains(where: { !$0.isJSONSpace }) else { throw .empty }
        let blocks = PEMBlock.all(in: file)
        if blocks.isEmpty { throw binaryProblem(file) ?? .notPEM }
        if let encrypted = blocks.first(where: { $0.label == "ENCRYPTED PRIVATE KEY" }) {
            try check(encrypted, in: file)
            throw .encrypted
        }
        if let block = blocks.first(where: { privateLabels.contains($0.label) }) {
            try check(block, in: file)
            if block.isEncryptedInside(file) { throw .encrypted }
            return Block(isPrivate: true, text: block.text(in: file))
        }
        if let block = blocks.first(where: { $0.label == "PUBLIC KEY" }) {
            try check(block, in: file)
            return Block(isPrivate: false, text: block.text(in: file))
        }
        throw problem(of: blocks[0].label)
    }

    private static let privateLabels = ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"]

    private static func check(_ block: PEMBlock, in file: [UInt8]) throws(KeyError) {
        switch block.condition(in: file) {
        case .whole: break
        case .cutOff: throw .damaged("its last line, \"-----END \(block.label)-----\", is missing")
        case .lineBreaksLost: throw .lineBreaksLost
        }
    }

    private static func problem(of label: String) -> KeyError {
        switch label {
        case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE": .certificate
        case "RSA PUBLIC KEY": .rsa
        case "DSA PRIVATE KEY": .otherAlgorithm("DSA")
        case "OPENSSH PRIVATE KEY": .otherAlgorithm("OpenSSH")
        default: .otherContents(label)
        }
    }

    /// The error for a binary file; `nil` if it is of no known kind.
    private static func binaryProblem(_ file: [UInt8]) -> KeyError? {
        switch CredentialFileKind(restored: file) {
        case .pkcs12: .pkcs12
        case .privateKeyDER: .der(isPrivate: true)
        case .publicKeyDER: .der(isPrivate: false)
        case .certificateDER: .certificate
        case let kind?: .otherKind(kind)
        case nil: nil
        }
    }
}
