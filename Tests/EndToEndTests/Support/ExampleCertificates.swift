import Foundation
import NIOConcurrencyHelpers

/// The set that certs.example/make.sh makes: once for the process, and gone with it.
enum ExampleCertificates {
    private static let made = NIOLockedValueBox<Workspace?>(nil)
    private static let making = Task {
        let workspace = try Workspace()
        made.withLockedValue { $0 = workspace }
        atexit { ExampleCertificates.made.withLockedValue { $0 = nil } }
        try await workspace.prepare("'\(BuiltProgram.certificateMaker)' certs > log 2>&1 || { cat log >&2; exit 1; }")
        return workspace.path("certs")
    }

    static func folder() async throws -> String { try await making.value }
}

extension Workspace {
    /// Puts into the folder `certs` what `certs.example/make.sh` makes: a CA, a server pair, a key, and `.p12` files.
    func makeCertificates() async throws {
        try await prepare("cp -Rp '\(ExampleCertificates.folder())' certs")
    }
}
