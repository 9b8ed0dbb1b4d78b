internal import CSSL

@testable internal import PushWire

/// PEM, for seeds and for the check that errors do not quote a file.
package enum PEMText {
    package static func written(_ write: (OpaquePointer) -> Int32) -> [UInt8] { OpenSSLBytes.written(write) ?? [] }

    package static func of(_ label: String, _ der: [UInt8]) -> [UInt8] {
        written { PEM_write_bio($0, label, "", der, der.count) > 0 ? 1 : 0 }
    }

    /// The contents of the first block.
    package static func der(_ pem: [UInt8]) -> [UInt8] {
        let lines = pem.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        let body = lines.drop { !$0.hasPrefix("-----") }.dropFirst().prefix { !$0.hasPrefix("-----") }
        return Base64URL.decode(body.joined()) ?? []
    }

    /// The text of an error must contain nothing of a file except the labels of its blocks.
    package static func claimHarmless(_ description: String, secret file: [UInt8]) {
        let labels = PEMBlock.all(in: file).map(\.label).filter { !$0.isEmpty }
        let text = labels.reduce(description) { $0.replacing($1, with: "…") }
        FuzzSupport.claimHarmless(text, secret: file)
    }
}
