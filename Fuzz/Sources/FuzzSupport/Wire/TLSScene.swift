@testable internal import PushWire

/// A TLS client and a server with an input in between that spoils what one of them, the victim, is to hear.
///
/// Whatever it does: what comes out at a side is the beginning of what went in at the other. And who has only the input to
/// talk to is never connected.
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
        // So that most inputs get to where records hold something.
        for _ in 0..<input.number(below: 4) { exchange() }
        while !input.isEmpty { step(&input) }
        exchange()
        check()
    }

    /// Nobody is there but the input.
    private func hear(_ input: inout FuzzInput) {
        while !input.isEmpty {
            victim.receive(input.piece())
            _ = victim.send()
        }
        victim.close()
        claim(!victim.session.isEstablished, "connected to somebody who has no key")
        claim(victim.heard.isEmpty, "plaintext from somebody who has no key")
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

    /// A record of sound form.
    private func record(_ input: inout FuzzInput) -> [UInt8] {
        let type = input.choice(of: [20, 21, 22, 23, input.byte()])
        let content = input.piece()
        return [type, 3, 3] + UInt16(content.count).bigEndianBytes + content
    }

    private func check() {
        claim(peer.said.starts(with: victim.heard), "what the victim hears was not said")
        claim(victim.said.starts(with: peer.heard), "what the peer hears was not said")
        if toVictim.isSpoiled { return }
        claim(victim.failure == nil && peer.failure == nil, "two who are not disturbed do not understand each other")
    }

    /// Who the other side is, as the mock asks it.
    private func look() {
        let certificate = victim.session.peerCertificate
        if let certificate { IdentityClaims.check(certificate) }
        let verdict = victim.session.peerCertificateVerdict(
            authoritiesPEM: TLSMaterial.authority.certificatePEM, now: 1_800_000_000)
        claim(certificate == nil || verdict != .absent, "a certificate that was shown is absent")
        _ = victim.session.version
    }
}
