internal import CSSL

/// Opens a PKCS#12 file (RFC 7292) with OpenSSL's current algorithms, and if these are not sufficient, with its legacy
/// provider.
struct PKCS12Opener {
    let file: [UInt8]
    let passphrase: SecretBuffer?
    let legacy: () -> LegacyProvider?

    func open() throws(IdentityError) -> IdentityContents {
        do throws(PKCS12Failure) {
            return try contents(in: nil)
        } catch {
            guard case .algorithm(let names) = error else { throw sentence(error) }
            return try openWithLegacyProvider(names)
        }
    }

    private func openWithLegacyProvider(_ names: [String]) throws(IdentityError) -> IdentityContents {
        guard let legacy = legacy() else { throw .legacyProviderMissing(names) }
        do throws(PKCS12Failure) { return try contents(in: legacy.context) } catch { throw sentence(error) }
    }

    private func contents(in context: OpaquePointer?) throws(PKCS12Failure) -> IdentityContents {
        let pkcs12 = try PKCS12(file, context: context)
        try pkcs12.checkRounds()
        guard pkcs12.hasMAC else { return try firstThatOpens(pkcs12) }
        for candidate in candidates where try pkcs12.isMAC(by: candidate) {
            return try pkcs12.contents(passphrase: candidate)
        }
        throw .passphrase
    }

    /// Without a MAC, a passphrase is correct if the decrypted contents can be read.
    private func firstThatOpens(_ pkcs12: PKCS12) throws(PKCS12Failure) -> IdentityContents {
        var problem = PKCS12Failure.passphrase
        for candidate in candidates {
            do throws(PKCS12Failure) { return try pkcs12.contents(passphrase: candidate) } catch { problem = error }
        }
        throw problem
    }

    /// The passphrases to try. PKCS#12 distinguishes an empty passphrase from none, but programs use both for "no
    /// passphrase".
    private var candidates: [SecretBuffer?] {
        if let passphrase, !passphrase.isEmpty { return [passphrase] }
        return [nil, SecretBuffer([])]
    }

    private func sentence(_ problem: PKCS12Failure) -> IdentityError {
        switch problem {
        case .damaged(let message): .damaged(message)
        case .passphrase: passphrase == nil ? .passphraseNeeded : .wrongPassphrase
        case .algorithm(let names): .unsupportedAlgorithm(names)
        case .tooSlow(let rounds): .tooSlow(rounds)
        }
    }
}

/// Why a PKCS#12 file cannot be read.
enum PKCS12Failure: Error {
    case damaged(String)
    case passphrase
    /// OpenSSL does not support one of these algorithms in the context used.
    case algorithm([String])
    case tooSlow(Int)
}
