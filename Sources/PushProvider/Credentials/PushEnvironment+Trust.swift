internal import PushWire

extension PushEnvironment {
    func makeContext(_ identity: PushIdentity? = nil) throws(PushCredentialsError) -> TLSContext {
        do throws(TLSError) {
            let trust: TLSContext.Trust =
                switch self.trust {
                case .system: .system
                case .authorities(let pem): .authorities(pem: pem)
                }
            return try TLSContext.client(trust: trust, identity: identity?.identity, requiresALPN: requiresALPN)
        } catch {
            if error.code == .unusableIdentity {
                throw PushCredentialsError(
                    code: .unusableIdentity, description: "The certificate cannot be used: \(error.detail).")
            }
            throw PushCredentialsError(
                code: .unusableAuthorities, description: "The trusted authorities cannot be used: \(error.detail).")
        }
    }
}

extension PushEnvironment.Trust {
    /// Trusts only the authorities of a CA file.
    ///
    /// - Parameter path: The path of a PEM file.
    /// - Returns: Trust in these authorities.
    /// - Throws: ``PushCredentialsError`` if the file cannot be read.
    public static func caFile(_ path: String) throws(PushCredentialsError) -> PushEnvironment.Trust {
        .authorities(pem: try KeyFile(path: path).bytes)
    }
}
