internal import APNSVocabulary
import PushPlatform
import PushProvider
internal import PushWire

/// Refuses a file that is not a payload: a key or a list of device tokens. A key must never be sent.
enum MistakenPayload {
    /// - Parameters:
    ///   - bytes: The content.
    ///   - source: The path.
    /// - Throws: ``CommandFailure`` with 65.
    static func refuse(_ bytes: [UInt8], from source: String) throws {
        guard let problem = problem(bytes, source) else { return }
        throw CommandFailure(status: .invalidInput, message: "\"\(source.printable)\" is \(problem)")
    }

    private static func problem(_ bytes: [UInt8], _ source: String) -> String? {
        if isKeyOrCertificate(bytes) {
            return "a key or a certificate, not a payload. Give it with --key or --cert."
        }
        let line = FileText.firstLine(bytes)
        guard line.count <= longestLine else { return nil }
        let text = String(decoding: line, as: UTF8.self)
        let isToken = text.utf8.count >= 32 && (try? DeviceToken(text)) != nil
        let names = text.lowercased().split(whereSeparator: { ",;\t".contains($0) })
        let isHeader = names.count > 1 && names.contains { $0.filter { $0.isLetter }.hasSuffix("token") }
        guard !text.hasPrefix("{"), isToken || isHeader else { return nil }
        return """
            a list of device tokens, not a payload. To send a campaign: pushsend batch \(ShellWord.quoted(source)) --payload FILE.
            """
    }

    /// Whether a file is a key or a certificate, in any form. A payload can contain the text of a certificate.
    static func isKeyOrCertificate(_ bytes: [UInt8]) -> Bool {
        let first = FileText.utf8(bytes).first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first != UInt8(ascii: "{") && CredentialFileKind(bytes) != nil
    }

    /// The maximum length of the first line, in bytes. A file with a longer one is not checked for mistakes.
    private static let longestLine = 2000
}
