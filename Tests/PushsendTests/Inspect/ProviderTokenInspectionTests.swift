import Foundation
import PushCommandLine
import PushProvider
import Testing

@testable import PushJSON
@testable import pushsend

@Suite struct ProviderTokenInspectionTests {
    private static let issuedAt = 1_795_262_400

    @Test func `a token in force is taken, with its age and what is left`() {
        let inspection = inspect(#"{"iss":"DEF123GHIJ","iat":1795262400}"#, after: 1200)
        #expect(inspection.problem == nil)
        #expect(inspection.status == .success)
        #expect(inspection["key_id"] == "ABC123DEFG")
        #expect(inspection["team_id"] == "DEF123GHIJ")
        #expect(inspection["issued_at"] == 1_795_262_400)
        #expect(inspection["expires_at"] == 1_795_266_000)
        #expect(inspection["signature"] == "not_checked")
        #expect(inspection.text.contains("2026-11-21 12:00:00 UTC, 20 minutes ago"))
        #expect(inspection.text.contains("2026-11-21 13:00:00 UTC, 40 minutes left"))
        #expect(inspection.text.contains("accepts it now"))
    }

    @Test(arguments: [(3600, true), (3601, false), (-3600, true), (-3601, false)])
    func `it is taken for an hour`(age: Int, isTaken: Bool) {
        let inspection = inspect(#"{"iss":"DEF123GHIJ","iat":1795262400}"#, after: age)
        #expect((inspection.problem == nil) == isTaken)
        #expect(inspection.status == (isTaken ? .success : .credentials))
    }

    @Test(arguments: [
        (#"{"iss":"DEF123GHIJ","iat":1795262400000}"#, "milliseconds"),
        (#"{"iss":"DEF123GHIJ","iat":-1}"#, "isn't a time"),
        (#"{"iss":"DEF123GHIJ","iat":1e300}"#, "isn't a time"),
        (#"{"iss":"DEF","iat":1795262400}"#, "team id (iss) has 3 characters"),
    ])
    func `claims that Apple refuses are named`(claims: String, words: String) {
        let inspection = inspect(claims)
        #expect(inspection.problem?.contains(words) == true, "\(inspection.problem ?? "")")
        #expect(inspection.status == .credentials)
        #expect(inspection.isReadable)
    }

    @Test(arguments: [
        (#"{"iss":"DEF123GHIJ"}"#, "iat"), (#"{"iat":1795262400}"#, "iss"), ("no JSON", "JSON object"),
    ])
    func `what is no provider token is not readable`(claims: String, word: String) {
        let inspection = inspect(claims)
        #expect(!inspection.isReadable)
        #expect(inspection.problem?.contains(word) == true, "\(inspection.problem ?? "")")
    }

    @Test func `another algorithm than ES256 is refused`() {
        let inspection = inspect(
            #"{"iss":"DEF123GHIJ","iat":1795262400}"#, header: #"{"alg":"RS256","kid":"ABC123DEFG"}"#)
        #expect(inspection.problem?.contains("ES256") == true)
    }

    @Test func `an issue time that is a text is taken with a note`() {
        let inspection = inspect(#"{"iss":"DEF123GHIJ","iat":"1795262400"}"#)
        #expect(inspection.problem == nil)
        #expect(inspection.notes.count == 1)
    }

    @Test func `control characters in a token do not reach the terminal`() {
        let inspection = inspect(#"{"iss":"\u001b[31mRED","iat":1795262400}"#)
        #expect(!inspection.text.contains("\u{1B}"))
        #expect(inspection.line.text.contains(#"\u001b"#) || inspection.line.text.contains(#"\u001B"#))
    }

    private func inspect(
        _ claims: String, header: String = #"{"alg":"ES256","kid":"ABC123DEFG"}"#, after age: Int = 1200
    ) -> Inspection {
        let token = [header, claims, String(repeating: "s", count: 64)].map(Self.base64URL).joined(separator: ".")
        return ProviderTokenInspection(name: "token", key: nil, now: Self.issuedAt + age).inspect(token)
    }

    private static func base64URL(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
