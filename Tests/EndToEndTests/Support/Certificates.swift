import Foundation
import Testing

extension Workplace {
    /// Makes the folder `certs` with what `certs.example/make.sh` makes: a CA, a server pair, a key, and `.p12` files.
    func makeCertificates(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let script = URL(filePath: #filePath).appending(path: "../../../../certs.example/make.sh").standardized.path()
        let ended = try await run([script, path("certs")])
        try #require(ended.status == 0, "\(ended.errors)", sourceLocation: sourceLocation)
    }
}
