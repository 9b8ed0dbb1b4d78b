import Dispatch
import Foundation
import PushWire
import TestSupport
import Testing

@testable import PushJSON
@testable import PushProvider

@Suite struct ProviderTokenSignerTests {
    static let now = 1_800_000_600

    @Test func `a token is a JWT with exactly what Apple asks for`() throws {
        let signingKey = try SigningKey.generate()
        let token = try PushProviderKey.sample(signingKey).providerToken(secondsSince1970: Self.now)
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
        let signer = ProviderTokenSigner.shared(for: try .sample())
        let first = try signer.token(secondsSince1970: Self.now)
        #expect(try signer.token(secondsSince1970: Self.now + 1799).text == first.text)
        let second = try signer.token(secondsSince1970: Self.now + 1800)
        #expect(second.issuedAt == first.issuedAt + 1800)
        #expect(second.text != first.text)
        #expect(try signer.token(secondsSince1970: Self.now + 1801).text == second.text)
    }

    @Test func `the token stays when the clock steps back over the boundary`() throws {
        let signer = ProviderTokenSigner.shared(for: try .sample())
        let token = try signer.token(secondsSince1970: Self.now)
        #expect(try signer.token(secondsSince1970: Self.now - 1).text == token.text)
        #expect(try signer.token(secondsSince1970: Self.now).text == token.text)
    }

    @Test func `only a token that was used of late has an age`() throws {
        let signer = ProviderTokenSigner.shared(for: try .sample())
        func time(_ seconds: Int) -> ClockSample {
            ClockSample(secondsSince1970: Self.now + seconds, monotonicSeconds: seconds)
        }
        #expect(signer.age(for: "a", at: time(0)) == nil)
        let token = try signer.token(for: "a", at: time(0))
        #expect(signer.age(for: "a", at: time(10)) == Self.now + 10 - token.issuedAt)
        #expect(signer.age(for: "a", at: time(300)) != nil)
        #expect(signer.age(for: "a", at: time(3600)) == nil)
        // The next send asks for it again.
        let next = try signer.token(for: "a", at: time(3600))
        #expect(signer.age(for: "a", at: time(3600)) == Self.now + 3600 - next.issuedAt)
    }

    @Test func `environments share a token, but where a server's clock differs`() throws {
        let signer = ProviderTokenSigner.shared(for: try .sample())
        let time = ClockSample(secondsSince1970: Self.now, monotonicSeconds: 1)
        let sources = ["a", "b", "c"].map { ProviderTokenSource(signer: signer, environment: $0) }
        let first = try sources.map { try $0.token(at: time) }
        #expect(Set(first.map(\.text)).count == 1)
        let isOther = sources[1].refusedAsTooOld(
            issuedAt: first[1].issuedAt, serverTime: Self.now + 7200, at: time)
        #expect(isOther)
        let then = try sources.map { try $0.token(at: time) }
        #expect(then[0].text == first[0].text)
        #expect(then[2].text == first[0].text)
        #expect(then[1].issuedAt == first[0].issuedAt + 7200)
        // Both tokens stay the same, in whatever order they are asked for.
        #expect(try sources.reversed().map { try $0.token(at: time).text } == then.reversed().map(\.text))
        sources[1].refusedAsInvalid(issuedAt: then[1].issuedAt, at: time)
        #expect(try sources[1].token(at: time).text == first[0].text)
    }

    @Test(arguments: [Int.min, -1, 0, Int.max]) func `any time can be asked for`(time: Int) throws {
        #expect(throws: Never.self) { try PushProviderKey.sample().providerToken(secondsSince1970: time) }
    }

    @Test func `a key has one signer in the process, however often it was read`() throws {
        let signingKey = try SigningKey.generate()
        let first = ProviderTokenSigner.shared(for: try .sample(signingKey))
        let second = ProviderTokenSigner.shared(for: try .sample(signingKey))
        #expect(first === second)
        #expect(try first.token(secondsSince1970: Self.now).text == second.token(secondsSince1970: Self.now).text)
        #expect(
            try PushProviderKey.sample(signingKey).providerToken(secondsSince1970: Self.now)
                == first.token(secondsSince1970: Self.now).text)
    }

    @Test func `another key, key id or team has a signer of its own`() throws {
        let signingKey = try SigningKey.generate()
        let signer = ProviderTokenSigner.shared(for: try .sample(signingKey))
        #expect(try ProviderTokenSigner.shared(for: .sample(signingKey, keyID: "XYZ123DEFG")) !== signer)
        #expect(try ProviderTokenSigner.shared(for: .sample(signingKey, teamID: "XYZ123DEFG")) !== signer)
        #expect(try ProviderTokenSigner.shared(for: .sample()) !== signer)
    }

    @Test func `an unused signer is kept for the next client, until many others were made`() throws {
        let signers = ProviderTokenSigners()
        let key = try PushProviderKey.sample()
        weak let signer = signers.signer(for: key)
        let others = try (0..<ProviderTokenSigners.maximumKept).map { _ in try PushProviderKey.sample() }
        for other in others.dropLast() { _ = signers.signer(for: other) }
        #expect(signer != nil)
        #expect(signers.signer(for: key) === signer)
        for other in others { _ = signers.signer(for: other) }
        #expect(signer == nil)
    }

    /// A thread that falls behind finds what others have signed and catches up, so that threads keep meeting.
    @Test func `threads that ask at once get one token`() async throws {
        let signingKey = try SigningKey.generate()
        let signers = try (1000..<1200).map { number in
            ProviderTokenSigner.shared(for: try .sample(signingKey, keyID: "KEY000\(number)"))
        }
        let (answers, answer) = AsyncStream.makeStream(of: [String].self)
        let ready = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        for thread in 0...1 {
            Thread.detachNewThread {
                ready[thread].signal()
                ready[1 - thread].wait()
                answer.yield(signers.map { (try? $0.token(secondsSince1970: Self.now).text) ?? "" })
            }
        }
        let answered = await answers.prefix(2).reduce(into: Set()) { $0.insert($1) }
        #expect(answered.count == 1)
        #expect(answered.first?.contains("") == false)
    }

    @Test func `a description gives no token away`() throws {
        let signer = ProviderTokenSigner.shared(for: try .sample())
        let token = try signer.token(secondsSince1970: Self.now)
        let signature = try #require(token.text.split(separator: ".").last)
        for text in ["\(token)", String(reflecting: token), "\(signer)", String(reflecting: signer)] {
            #expect(!text.contains(signature))
        }
    }

    private func json(_ part: Substring) throws -> PushJSONValue {
        try JSONDecoder().decode(PushJSONValue.self, from: Data(#require(Base64URL.decode(part))))
    }
}
