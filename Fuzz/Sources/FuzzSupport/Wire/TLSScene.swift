@testable internal import PushWire

/// A TLS client and a TLS server. The input changes the bytes for one of them, the victim.
///
/// For every input, the plaintext that one side reads is the beginning of what the other side wrote. A victim without a
/// genuine other side is never connected.
package final class TLSScene {
    private let victim: TLSParty
    private let peer: TLSParty
    private var toVictim = Pipe()

    package init(victimIsClient: Bool, _ input: inout FuzzInput) {
        let choices = input.byte()
        let client = expected { try TLSMaterial.client(showsCertificate: choices & 1 != 0, isOld: choices & 2 != 0) }
        let server = expected { try TLSMaterial.server(refusesExpired: choices & 4 != 0, isOld: choices & 8 != 0) }
        victim = TLSParty(victimIsClient ? client : server)
        peer = TLSParty(victimIsClient ? server : client)
    }

    package func run(_ input: inout FuzzInput) {
        victim.start()
        peer.start()
        guard input.number(below: 4) > 0 else { return hear(&input) }
        // Then most inputs reach the records with contents.
        for _ in 0..<input.number(below: 4) { exchange() }
        while !input.isEmpty { step(&input) }
        exchange()
        check()
    }

    /// There is no genuine other side; all bytes come from the input.
    private func hear(_ input: inout FuzzInput) {
        while !input.isEmpty {
            victim.receive(input.piece())
            _ = victim.send()
        }
        victim.close()
        claim(!victim.session.isEstablished, "connected to a side that has no key")
        claim(victim.heard.isEmpty, "plaintext from a side that has no key")
    }

    private func step(_ input: inout FuzzInput) {
        switch input.number(below: 12) {
        case 0, 1: toVictim.spoil(&input)
        case 2: toVictim.forge(record(&input))
        case 3: victim.receive(toVictim.take(&input))
        case 4: peer.receive(victim.send())
        case 5: toVictim.append(peer.send())
        case 6: victim.say(input.piece())
        case 7: peer.say(input.piece())
        case 8: peer.say([UInt8](repeating: input.byte(), count: TLSSession.recordBytes))
        case 9: if input.byte() & 1 == 0 { peer.close() } else { victim.close() }
        case 10: look()
        default: exchange()
        }
        check()
    }

    private func exchange() {
        peer.receive(victim.send())
        toVictim.append(peer.send())
        victim.receive(toVictim.take(toVictim.bytes.count))
    }

    /// A well-formed record.
    private func record(_ input: inout FuzzInput) -> [UInt8] {
        let type = input.choice(of: [20, 21, 22, 23, input.byte()])
        let content = input.piece()
        return [type, 3, 3] + UInt16(content.count).bigEndianBytes + content
    }

    private func check() {
        claim(peer.said.starts(with: victim.heard), "the victim read plaintext that was not sent")
        claim(victim.said.starts(with: peer.heard), "the peer read plaintext that was not sent")
        if toVictim.isSpoiled { return }
        claim(victim.failure == nil && peer.failure == nil, "the two sides fail although nothing was changed")
    }

    /// Checks the identity of the other side, as the mock does.
    private func look() {
        let certificate = victim.session.peerCertificate
        if let certificate { IdentityClaims.check(certificate) }
        let result = victim.session.peerCertificateResult(
            authoritiesPEM: TLSMaterial.authority.certificatePEM, now: 1_800_000_000)
        claim(certificate == nil || result != .absent, "a certificate was sent, but counts as absent")
        _ = victim.session.version
    }
}
