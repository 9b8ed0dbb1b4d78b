import Foundation
import NIOConcurrencyHelpers

/// The set that certs.example/make.sh makes: once for the process, and gone with it.
enum ExampleCertificates {
    static let passphrase = "example"

    private static let made = NIOLockedValueBox<Workplace?>(nil)
    private static let making = Task {
        let place = try Workplace()
        made.withLockedValue { $0 = place }
        atexit { ExampleCertificates.made.withLockedValue { $0 = nil } }
        try await place.prepare("'\(BuiltProgram.certificateMaker)' certs > log 2>&1 || { cat log >&2; exit 1; }")
        return place.path("certs")
    }

    /// A workplace of its own with the set in the folder `certs`.
    static func place() async throws -> Workplace {
        let place = try Workplace()
        try await place.prepare("cp -Rp '\(making.value)' certs")
        return place
    }
}
