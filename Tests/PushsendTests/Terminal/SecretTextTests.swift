import Testing

@testable import PushCommandLine
@testable import pushsend

/// What an error message must not repeat.
struct SecretTextTests {
    private static let token = "eyJhbGciOiJFUzI1NiIsImtpZCI6IkEifQ.eyJpc3MiOiJCIiwiaWF0IjoxfQ.c2lnbmF0dXJlX29mX2ExMA"
    private static let key = "MIGTAgEAMBMG" + String(repeating: "Ab1+/", count: 30) + "=="
    private static let pem = "-----BEGIN PRIVATE KEY-----\nMIGTAgEA\nSecret\n-----END PRIVATE KEY-----"

    @Test(arguments: [
        ("a \(token) b", "a [provider token] b"), ("'\(key)'", "'[key]'"), ("a \(pem) b", "a [key] b"),
        ("-----BEGIN EC PRIVATE KEY-----\nSecret", "[key]"),
        ("postgres://user:secret@db/x", "postgres://[user]@db/x"), ("https://secret@host", "https://[user]@host"),
        ("socks5://a:b@c@host", "socks5://[user]@host"),
        ("postgres://owner@db/x", "postgres://owner@db/x"), ("postgresql://a@b@db/x", "postgresql://[user]@db/x"),
        ("see postgres://owner@db/x and https://secret@host", "see postgres://owner@db/x and https://[user]@host"),
    ])
    func `a secret is replaced, and the words around it stay`(message: String, masked: String) {
        #expect(SecretText.masked(message) == masked)
    }

    @Test(arguments: [
        "a@example.com", "https://host/a@b", "eyJhbGciOiJFUzI1NiJ9", "-----BEGIN CERTIFICATE-----", "postgres://db/x",
    ])
    func `what is no secret stays`(message: String) {
        #expect(SecretText.masked(message) == message)
    }

    /// A message that shows only the beginning of a word must not cut off what marks a secret.
    @Test func `a part of a secret is not shown either`() throws {
        let address = "postgres://pushserve:a-very-long-password-that-nobody-knows@db/x"
        let advice = SubcommandAdvice.sentence(for: address, after: ["pushserve"], of: ["run"], others: [:])
        #expect(advice.contains("postgres://[user]@db/x") && !advice.contains("password"), "\(advice)")
        let slip = try #require(CommandLineSlip(of: Pushsend.self, in: ["send", "5f3a", "-t\(address)"]))
        #expect(slip.sentence.contains("[user]") && !slip.sentence.contains("password"), "\(slip.sentence)")
        let unknown = CommandLineSlip.unknownOption(
            in: "Unknown option '--\(Self.token)'", of: Pushsend.self, ["send", "--\(Self.token)"])
        #expect(unknown == "Unknown option '--[provider token]'.")
    }
}
