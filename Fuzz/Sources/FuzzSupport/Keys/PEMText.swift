internal import CSSL

@testable internal import PushWire

/// PEM, for seeds and for what must not be quoted.
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

    /// A file without the lines that name what is in it: those an error may quote.
    package static func withoutLabels(_ file: [UInt8]) -> [UInt8] {
        let lines = file.split { $0 == 0x0A || $0 == 0x0D }
        return Array(lines.filter { $0.firstIndex(of: "-----") == nil }.joined(separator: [0x0A]))
    }
}
