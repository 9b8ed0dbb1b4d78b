import APNSVocabulary
import MockAPNs
import PushPlatform
import Testing

@Suite struct ProviderTokenReaderTests {
    private static let header = #"{"alg":"ES256","kid":"ABC123DEFG"}"#
    private static let claims = #"{"iss":"DEF123GHIJ","iat":1437179036}"#

    /// Base64url by hand, so that the reader is not measured by itself.
    private static func encode(_ bytes: some Sequence<UInt8>, padded: Bool = false) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let bits = bytes.map {
            String(repeating: "0", count: $0.leadingZeroBitCount) + ($0 == 0 ? "" : String($0, radix: 2))
        }
        .joined()
        var text = ""
        var rest = bits[...]
        while !rest.isEmpty {
            let six = rest.prefix(6)
            rest = rest.dropFirst(6)
            text.append(alphabet[Int(six + String(repeating: "0", count: 6 - six.count), radix: 2) ?? 0])
        }
        return padded ? text + String(repeating: "=", count: (4 - text.count % 4) % 4) : text
    }

    private static func authorization(
        _ word: String = "bearer ",
        header: String = header,
        claims: String = claims,
        signature: [UInt8] = Array(repeating: 0xFB, count: 64),
        padded: Bool = false
    ) -> String {
        let parts = [Array(header.utf8), Array(claims.utf8), signature].map { encode($0, padded: padded) }
        return word + parts.joined(separator: ".")
    }

    private func read(_ authorization: String?, signature: SignatureCheck = .verified) -> ParsedProviderToken {
        ProviderTokenReader { _, _, _ in signature }.read(authorization)
    }

    private static let expected = ProviderTokenContent(
        algorithm: "ES256",
        keyID: "ABC123DEFG",
        teamID: "DEF123GHIJ",
        issuedAt: Date(timeIntervalSince1970: 1_437_179_036),
        signature: .verified
    )

    @Test(arguments: ["bearer ", "Bearer ", "BEARER ", "bearer   ", "bearer\t"], [false, true])
    func `bearer may have any letter case, the parts may be padded`(word: String, padded: Bool) {
        #expect(read(Self.authorization(word, padded: padded)) == .read(Self.expected))
    }

    @Test func `Apple's printed example is read`() {
        let reading = read(
            "bearer eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ"
                + ".eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNDM3MTc5MDM2fQ.AAAA")
        #expect(reading.content?.keyID == "ABC123DEFG")
        #expect(reading.content?.teamID == "DEF123GHIJ")
        #expect(reading.content?.issuedAt == Date(timeIntervalSince1970: 1_437_179_036))
    }

    @Test func `the key id, the signed bytes and the signature go to the check`() {
        let signature: [UInt8] = Array(0..<70)
        let header = Self.authorization(signature: signature)
        let signed = Array(header.dropFirst(7).utf8).split(separator: UInt8(ascii: ".")).prefix(2)
        let reader = ProviderTokenReader { header, bytes, given in
            header.kid == "ABC123DEFG" && header.alg == "ES256" && given == signature
                && bytes == Array(signed.joined(separator: [UInt8(ascii: ".")])) ? .verified : .wrong
        }
        #expect(reader.read(header).content?.signature == .verified)
        #expect(reader.read(header).content?.signatureForm == .der)
    }

    @Test(arguments: [SignatureCheck.verified, .wrong, .unknownKey, .notChecked])
    func `the result of the check is kept`(signature: SignatureCheck) {
        #expect(read(Self.authorization(), signature: signature).content?.signature == signature)
    }

    @Test(arguments: [nil, "", "bearer", "bearer ", " ", "Bearer   "])
    func `nothing is nothing`(authorization: String?) {
        #expect(read(authorization) == .absent)
    }

    @Test(arguments: ["basic YTpi", "Basic", "bearerabc", "eyJ.eyJ.abc"])
    func `what does not begin with bearer is of another scheme`(authorization: String) {
        #expect(read(authorization) == .otherScheme)
    }

    @Test func `a token in standard base64 is read, and reported as such`() {
        let url = Self.authorization()
        #expect(url.contains("-"))
        let standard = url.replacing("-", with: "+").replacing("_", with: "/")
        #expect(read(url).content?.isStandardBase64 == false)
        #expect(read(standard).content?.isStandardBase64 == true)
        #expect(read(standard).content?.teamID == "DEF123GHIJ")
    }

    @Test(arguments: [(63, .der), (64, .raw), (65, .der)] as [(Int, ProviderTokenContent.SignatureForm)])
    func `a signature of 64 bytes is raw`(count: Int, form: ProviderTokenContent.SignatureForm) {
        let authorization = Self.authorization(signature: Array(repeating: 1, count: count))
        #expect(read(authorization).content?.signatureForm == form)
    }

    @Test(arguments: [(64, .der), (131, .der), (132, .raw)] as [(Int, ProviderTokenContent.SignatureForm)])
    func `a signature called ES512 has 132 bytes in raw form`(count: Int, form: ProviderTokenContent.SignatureForm) {
        let content = read(
            Self.authorization(
                header: #"{"alg":"ES512","kid":"ABC123DEFG"}"#, signature: Array(repeating: 1, count: count))
        ).content
        #expect(content?.signatureForm == form)
        #expect(content?.algorithm == "ES512")
    }

    @Test(arguments: [
        (#"1437182636"#, 1_437_182_636.0), (#"1437182636.5"#, 1_437_182_636.5), (#""1437182636""#, nil), ("null", nil),
        ("[1]", nil),
    ])
    func `exp is read when it is a number, and ignored otherwise`(exp: String, seconds: Double?) {
        let content = read(Self.authorization(claims: #"{"iss":"T","iat":1437179036,"exp":\#(exp)}"#)).content
        #expect(content?.issuedAt == Self.expected.issuedAt)
        #expect(content?.expiresAt?.timeIntervalSince1970 == seconds)
    }

    @Test func `iat may be text or a fraction`() {
        let text = read(Self.authorization(claims: #"{"iss":"T","iat":"1437179036","kid":"ABC123DEFG"}"#)).content
        #expect(text?.issueTimeIsText == true)
        #expect(text?.issuedAt == Self.expected.issuedAt)
        let fraction = read(Self.authorization(claims: #"{"iat":1437179036.5,"iss":"T","x":[{"y":null}]}"#)).content
        #expect(fraction?.issueTimeIsText == false)
        #expect(fraction?.issueTimeIsFraction == true)
        #expect(text?.issueTimeIsFraction == false)
        #expect(fraction?.issuedAt.timeIntervalSince1970 == 1_437_179_036.5)
    }

    @Test(arguments: [
        ("bearer abc", "three parts"), ("bearer a.b.c.d", "three parts"),
        ("bearer !!!!.e30.AAAA", "header of the provider token isn't base64url"),
        ("bearer e30.e30.AAAA", "header of the provider token has no"),
        (
            authorization().replacing(".", with: ".!", maxReplacements: 1),
            "claim set of the provider token isn't base64url"
        ),
        (authorization(signature: []), "signature"),
        (authorization() + "*", "signature"), (authorization(signature: []) + "AAAAA", "signature"),
        (authorization(header: "not JSON"), "header of the provider token isn't a JSON object"),
        (authorization(header: #"["ES256"]"#), "isn't a JSON object"),
        (authorization(header: #"{"kid":"ABC123DEFG"}"#), "header of the provider token has no \"alg\""),
        (authorization(header: #"{"alg":"ES256"}"#), "has no \"kid\""),
        (
            authorization(header: #"{"alg":"ES256","kid":7}"#),
            "\"kid\" in the header of the provider token has the wrong"
        ),
        (authorization(claims: #"{"iat":1}"#), "claim set of the provider token has no \"iss\""),
        (authorization(claims: #"{"iss":"T"}"#), "has no \"iat\""),
        (authorization(claims: #"{"iss":"T","iat":null}"#), "wrong type"),
        (authorization(claims: #"{"iss":"T","iat":true}"#), "wrong type"),
        (authorization(claims: #"{"iss":"T","iat":"soon"}"#), "wrong type"),
        (authorization(claims: #"{"iss":"T","iat":""}"#), "wrong type"),
        (authorization(claims: #"{"iss":"T","iat":""# + String(repeating: "9", count: 400) + #""}"#), "wrong type"),
        (authorization(claims: #"{"iss":"T","iat":"-5"}"#), "wrong type"),
        (authorization(claims: #"{"iss":"T","iat":1e999}"#), "wrong type"),
        (authorization(claims: #"{"iss":"T","iat":1}x"#), "isn't a JSON object"),
        (authorization(claims: #"{"iss":"T","iat":1,}"#), "isn't a JSON object"),
        (authorization(claims: String(repeating: "[", count: 5000)), "isn't a JSON object"),
        (authorization(claims: String(repeating: #"{"a":"#, count: 5000)), "isn't a JSON object"),
    ])
    func `text that is not a provider token is refused with the reason`(authorization: String, why: String) {
        guard case .malformed(let reason) = read(authorization) else {
            Issue.record("\(authorization) was read")
            return
        }
        #expect(reason.contains(why))
    }
}
