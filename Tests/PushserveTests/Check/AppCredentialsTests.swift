import PushCommandLine
import PushDelivery
import PushPlatform
import PushProvider
import TestSupport
import Testing

@testable import pushserve

@Suite struct AppCredentialsTests {
    private func settings(_ name: String, passphrase: Bool = true) throws -> AppSettings {
        let set = try CertificateSet.shared()
        return AppSettings(
            name: "shop", environment: PushEnvironment(host: "localhost"),
            credentials: .identity(
                file: set.path(name), passphraseFile: passphrase ? set.path("passphrase.txt") : nil))
    }

    @Test func `a certificate that can be used tells how many days are left`() throws {
        let set = try CertificateSet.shared()
        let name = try #require(
            ["universal.p12"].first {
                FileManager.default.fileExists(atPath: set.path($0))
            })
        let (findings, credentials) = AppCredentials.check(try settings(name))
        #expect(credentials != nil, "\(findings)")
        #expect(findings.compactMap(\.daysLeft).isEmpty == false, "\(findings)")
    }

    @Test func `an expired certificate makes the app down`() throws {
        let (findings, credentials) = AppCredentials.check(try settings("expired.p12"))
        #expect(credentials == nil)
        #expect(findings.map(\.result) == [.failed])
        #expect(findings.first?.status == .credentials)
        #expect(findings.first?.fact.contains("expired") == true)
    }

    @Test func `a missing passphrase is said`() throws {
        let (findings, credentials) = AppCredentials.check(try settings("expired.p12", passphrase: false))
        #expect(credentials == nil)
        #expect(findings.first?.fact.contains("passphrase") == true, "\(findings)")
    }

    @Test func `a key can be used, and a missing topic is a warning`() throws {
        let ground = try Ground()
        let path = try ground.write(SampleKey.pem, to: "AuthKey_ABC123DEFG.p8")
        var settings = AppSettings(
            name: "shop", environment: .sandbox,
            credentials: .key(file: path, keyID: "ABC123DEFG", teamID: "DEF123GHIJ"))
        #expect(AppCredentials.check(settings).0.map(\.result) == [.warning])
        settings.topic = "com.example.shop"
        #expect(AppCredentials.check(settings).0.map(\.result) == [.ok])
        try ground.write("no key", to: "AuthKey_ABC123DEFG.p8")
        #expect(AppCredentials.check(settings).0.first?.status == .credentials)
    }

    @Test func `the file with the token for delivery counts is checked`() throws {
        let folder = try TemporaryFolder()
        var settings = AppSettings(
            name: "shop", environment: .production, credentials: .identity(file: "", passphraseFile: nil))
        #expect(AppCredentials.deliveryCounts(settings) == nil)
        settings.deliveryCounts = DeliveryCountSource(
            tokenFile: folder.path("export.token"), teamID: "DEF123GHIJ", bundleID: "com.example.shop")
        let missing = AppCredentials.deliveryCounts(settings)
        #expect(missing?.result == .failed && missing?.fact.contains("doesn't exist") == true)
        #expect(missing?.status == .credentials)
        try folder.write("s3cr3t\n", to: "export.token", mode: 0o640)
        let open = AppCredentials.deliveryCounts(settings)
        #expect(open?.result == .warning && open?.fact.contains("chmod 600") == true)
        #expect(open?.text.contains("s3cr3t") == false)
        try folder.write("s3cr3t\n", to: "export.token")
        #expect(AppCredentials.deliveryCounts(settings)?.result == .ok)
        settings.environment = .sandbox
        #expect(AppCredentials.deliveryCounts(settings)?.fact.contains("production only") == true)
    }
}
