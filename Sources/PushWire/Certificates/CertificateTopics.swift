internal import APNSVocabulary

/// The topics in extensions of Apple's certificates.
enum CertificateTopics {
    /// Returns the topics of extension 6.3.6: the strings directly in the SEQUENCE. After each there is a SEQUENCE with
    /// its labels, which is ignored.
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

    /// Returns the topics of extension 6.3.4, in VoIP certificates: one string, with commas between the topics.
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

/// Texts from certificates.
enum CertificateText {
    /// Returns the text without characters that control a terminal. It is not shortened, because it may be a list of
    /// topics.
    static func printable(_ bytes: some Collection<UInt8>) -> String {
        PeerText.printable(String(decoding: bytes, as: UTF8.self), atMost: .max)
    }
}
