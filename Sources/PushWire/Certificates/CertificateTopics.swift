/// The topics that Apple writes into extensions of its certificates.
enum CertificateTopics {
    /// Of extension 6.3.6: the strings that stand directly in the SEQUENCE; after each comes a SEQUENCE with its labels,
    /// which is passed over.
    static func listed(in value: [UInt8]) -> [String] {
        var outer = DERReader(value[...])
        guard let list = outer.next(), list.tag == DERReader.Element.sequence else { return [] }
        var topics: [String] = []
        var elements = DERReader(list.content)
        while let element = elements.next() {
            if element.tag == DERReader.Element.utf8String { topics.append(CertificateText.printable(element.content)) }
        }
        return topics.filter { !$0.isEmpty }
    }

    /// Of extension 6.3.4, in VoIP certificates: one string, with commas between the topics.
    static func joined(in value: [UInt8]) -> [String] {
        let strings = [
            DERReader.Element.utf8String, DERReader.Element.printableString, DERReader.Element.ia5String,
        ]
        var outer = DERReader(value[...])
        guard let text = outer.next(), strings.contains(text.tag) else { return [] }
        return CertificateText.printable(text.content).split(separator: ",").compactMap { part in
            let topic = part.drop { $0 == " " }.prefix { $0 != " " }
            return topic.isEmpty ? nil : String(topic)
        }
    }
}

/// Text out of a certificate, fit for a line in a log.
enum CertificateText {
    /// Without control characters, which could forge lines or steer a terminal.
    static func printable(_ bytes: some Collection<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
            text.append(isControl ? "\u{FFFD}" : scalar)
        }
        return String(text)
    }
}
