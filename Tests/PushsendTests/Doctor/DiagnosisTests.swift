import PushCommandLine
import PushPlatform
import PushWire
import Testing

@testable import PushProvider
@testable import pushsend

/// What follows from the hops, and how it is shown.
struct DiagnosisTests {
    private static let well = Hop.ok(.tcp, "Connected.")

    @Test func `the worst hop decides, and of equals the first is corrected first`() {
        let hops: [Hop] = [
            Self.well, .warning(.tls, "a", remedy: "Do a."), .failed(.alpn, "b", remedy: "Do b."),
            .failed(.settings, "c", remedy: "Do c."),
        ]
        let diagnosis = Diagnosis(server: "x:1", hops: hops)
        #expect(diagnosis.status == .cannotConnect)
        #expect(diagnosis.conclusion == "Do this first, for ALPN: Do b.")
        let worse = Diagnosis(server: "x:1", hops: hops + [.failed(.credentials, "d", remedy: nil, .credentials)])
        #expect(worse.status == .credentials)
        #expect(worse.conclusion == "Do this first, for credentials: d")
        #expect(Diagnosis(server: "x:1", hops: Array(hops.prefix(2))).status == .rejected)
    }

    @Test func `notes, skipped hops and what is not known are no failure`() {
        let hops: [Hop] = [Self.well, .note(.alpn, "n"), .skipped(.ping, "s"), .notKnown(.clock, "k")]
        #expect(Diagnosis(server: "x:1", hops: hops).status == .success)
    }

    @Test func `the conclusion says what was not tried`() {
        let tried = Hop.ok(.credentials, "Accepted.")
        #expect(
            Diagnosis(server: "x:1", hops: [Self.well, tried]).conclusion == "No problems found between here and x:1.")
        #expect(
            Diagnosis(server: "x:1", hops: [Self.well, AnswerHops.noSigner]).conclusion
                == "No problems found between here and x:1; the credentials weren't tried.")
        #expect(
            Diagnosis(server: "x:1", hops: [.ok(.libraries, "l")]).conclusion
                == "No problems found on this machine; the credentials weren't tried.")
    }

    // MARK: Shown

    @Test func `a line has a mark, a name and the fact, and below it the remedy`() {
        let report = DoctorReport(colours: false, width: nil)
        #expect(report.text(Self.well) == "✓ TCP              Connected.")
        #expect(
            report.text(.failed(.tls, "Bad.", remedy: "Do it."))
                == "✗ TLS              Bad.\n                   -> Do it.")
        #expect(DoctorReport(colours: true, width: nil).text(Self.well).hasPrefix("\u{1B}[1;32m✓\u{1B}[0m TCP"))
    }

    @Test func `on a terminal, long facts are broken under themselves`() {
        let report = DoctorReport(colours: false, width: 40)
        let lines = report.text(.ok(.key, "one two three four five six seven")).split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.count <= 40 })
        #expect(lines.last?.hasPrefix("                   ") == true)
    }

    @Test func `text of a peer cannot steer the terminal`() {
        let report = DoctorReport(colours: false, width: nil)
        let text = report.text(.failed(.tls, "CN \u{1B}[2J\nfake", remedy: "from \u{202E}it"))
        #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
        #expect(text.split(separator: "\n").count == 2)
    }

    @Test func `programs get one object`() {
        let line = DoctorReport.line(
            Diagnosis(
                server: "x:1",
                hops: [Self.well.with("ms", 3), .failed(.tls, "Bad.", remedy: "Do it.").with("version", "TLSv1.3")]))
        #expect(
            line.text == """
                {"conclusion":"Do this first, for TLS: Do it.","exit_code":69,"first":"tls","hops":[\
                {"fact":"Connected.","hop":"tcp","ms":3,"verdict":"ok"},\
                {"fact":"Bad.","hop":"tls","remedy":"Do it.","verdict":"failed","version":"TLSv1.3"}],"server":"x:1"}
                """)
    }

    // MARK: This machine

    @Test func `a trust store without Apple's root matters for Apple`() {
        let full = TrustStore(file: "/f", folder: "/d", source: "/f", count: 139, holdsApplesRoot: true)
        #expect(LibraryHops.trustStore(full, ownFile: nil, isApple: true).result == .ok)
        let old = TrustStore(file: "/f", folder: "/d", source: "/f", count: 100, holdsApplesRoot: false)
        #expect(LibraryHops.trustStore(old, ownFile: nil, isApple: true).result == .warning)
        #expect(LibraryHops.trustStore(old, ownFile: nil, isApple: false).result == .note)
        #expect(LibraryHops.trustStore(old, ownFile: "ca.pem", isApple: true).result == .ok)
        let empty = TrustStore(file: "/f", folder: "/d", source: "/f", count: 0, holdsApplesRoot: false)
        #expect(LibraryHops.trustStore(empty, ownFile: nil, isApple: true).status == .cannotConnect)
    }

    @Test func `a missing legacy provider is a note`() {
        let hops = LibraryHops.hops(
            ProbedLibraries(openSSL: "OpenSSL 3.5.1", nghttp2: "1.64.0", hasLegacyProvider: false))
        #expect(hops.map(\.result) == [.ok, .note])
        #expect(hops.first?.fact == "OpenSSL 3.5.1, nghttp2 1.64.0")
    }
}
