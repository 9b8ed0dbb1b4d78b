import Dispatch
import Foundation
import PushWire
import Testing

@testable import PushProvider

@Suite struct ProviderTokenSourceTests {
    static let now = 1_800_000_600

    @Test func `a token is a JWT with exactly what Apple asks for`() throws {
        let signingKey = try SigningKey.generate()
        let token = try ProviderKey.sample(signingKey).providerToken(secondsSince1970: Self.now)
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        #expect(try json(parts[0]) == ["alg": "ES256", "kid": "ABC123DEFG"])
        #expect(try json(parts[1]) == ["iss": "DEF123GHIJ", "iat": 1_800_000_000])
        let signature = try #require(Base64URL.decode(parts[2]))
        #expect(signature.count == 64)
        let signed = "\(parts[0]).\(parts[1])".utf8
        #expect(signingKey.verifyingKey.verify(signature: signature, over: signed, form: .raw))
        #expect(try !SigningKey.generate().verifyingKey.verify(signature: signature, over: signed))
        #expect(!token.contains("="))
    }

    @Test func `the token stays until the grid moves on`() throws {
        let source = ProviderTokenSource.shared(for: try .sample())
        let first = try source.token(secondsSince1970: Self.now)
        #expect(try source.token(secondsSince1970: Self.now + 1799).text == first.text)
        let second = try source.token(secondsSince1970: Self.now + 1800)
        #expect(second.issuedAt == first.issuedAt + 1800)
        #expect(second.text != first.text)
        #expect(try source.token(secondsSince1970: Self.now + 1801).text == second.text)
    }

    @Test func `only a token that was used of late has an age`() throws {
        let source = ProviderTokenSource.shared(for: try .sample())
        #expect(source.age(secondsSince1970: Self.now) == nil)
        let token = try source.token(secondsSince1970: Self.now)
        #expect(source.age(secondsSince1970: Self.now + 10) == Self.now + 10 - token.issuedAt)
        #expect(source.age(secondsSince1970: Self.now + 300) != nil)
        #expect(source.age(secondsSince1970: Self.now + 3600) == nil)
        // The next send asks for it again.
        let next = try source.token(secondsSince1970: Self.now + 3600)
        #expect(source.age(secondsSince1970: Self.now + 3600) == Self.now + 3600 - next.issuedAt)
    }

    @Test func `a key has one source in the process, however often it was read`() throws {
        let signingKey = try SigningKey.generate()
        let first = ProviderTokenSource.shared(for: try .sample(signingKey))
        let second = ProviderTokenSource.shared(for: try .sample(signingKey))
        #expect(first === second)
        #expect(try first.token(secondsSince1970: Self.now).text == second.token(secondsSince1970: Self.now).text)
        #expect(
            try ProviderKey.sample(signingKey).providerToken(secondsSince1970: Self.now)
                == first.token(secondsSince1970: Self.now).text)
    }

    @Test func `another key, key id or team has a source of its own`() throws {
        let signingKey = try SigningKey.generate()
        let source = ProviderTokenSource.shared(for: try .sample(signingKey))
        #expect(try ProviderTokenSource.shared(for: .sample(signingKey, keyID: "XYZ123DEFG")) !== source)
        #expect(try ProviderTokenSource.shared(for: .sample(signingKey, teamID: "XYZ123DEFG")) !== source)
        #expect(try ProviderTokenSource.shared(for: .sample()) !== source)
    }

    @Test func `a source that nobody holds is kept for the next client, until many others came`() throws {
        let sources = ProviderTokenSources()
        let key = try ProviderKey.sample()
        weak let source = sources.source(for: key)
        let others = try (0..<ProviderTokenSources.mostKept).map { _ in try ProviderKey.sample() }
        for other in others.dropLast() { _ = sources.source(for: other) }
        #expect(source != nil)
        #expect(sources.source(for: key) === source)
        for other in others { _ = sources.source(for: other) }
        #expect(source == nil)
    }

    /// A thread that falls behind finds what others have signed and catches up, so that threads keep meeting.
    @Test func `threads that ask at once get one token`() async throws {
        let signingKey = try SigningKey.generate()
        let sources = try (1000..<1200).map { number in
            ProviderTokenSource.shared(for: try .sample(signingKey, keyID: "KEY000\(number)"))
        }
        let (answers, answer) = AsyncStream.makeStream(of: [String].self)
        let ready = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        for thread in 0...1 {
            Thread.detachNewThread {
                ready[thread].signal()
                ready[1 - thread].wait()
                answer.yield(sources.map { (try? $0.token(secondsSince1970: Self.now).text) ?? "" })
            }
        }
        let answered = await answers.prefix(2).reduce(into: Set()) { $0.insert($1) }
        #expect(answered.count == 1)
        #expect(answered.first?.contains("") == false)
    }

    @Test func `a description gives no token away`() throws {
        let source = ProviderTokenSource.shared(for: try .sample())
        let token = try source.token(secondsSince1970: Self.now)
        let signature = try #require(token.text.split(separator: ".").last)
        for text in ["\(token)", String(reflecting: token), "\(source)", String(reflecting: source)] {
            #expect(!text.contains(signature))
        }
    }

    private func json(_ part: Substring) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(#require(Base64URL.decode(part))))
    }
}
