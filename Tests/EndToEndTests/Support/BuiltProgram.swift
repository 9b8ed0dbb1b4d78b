import Foundation
import TestSupport
import Testing

/// Where the programs are that the tests start.
enum BuiltProgram {
    /// `scripts/test` says where it has built it; without that the debug build of this clone is taken.
    static let pushsend: URL =
        environment["PUSHSEND_BINARY"].map { URL(filePath: $0) } ?? Repository.url(".build/debug/pushsend")

    /// `pushserve`, in the same way.
    static let pushserve: URL =
        environment["PUSHSERVE_BINARY"].map { URL(filePath: $0) } ?? Repository.url(".build/debug/pushserve")

    /// A Python that has httpx, or `nil` where none was prepared.
    static let python: String? = {
        let file = environment["PUSHSEND_TEST_PYTHON"] ?? Repository.url(".build/venv/bin/python3").path()
        return FileManager.default.isExecutableFile(atPath: file) ? file : nil
    }()

    /// That Python, which a test can't do without.
    static func preparedPython(with package: String = "httpx") throws -> String {
        try #require(
            python, "There is no Python with \(package): run scripts/setup --for test, which makes one in .build/venv.")
    }

    /// Whether that Python has a package.
    static func pythonHas(_ package: String) -> Bool {
        guard let python else { return false }
        let libraries = URL(filePath: python).deletingLastPathComponent().appending(path: "../lib").standardized
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: libraries.path())) ?? []
        return versions.contains {
            FileManager.default.fileExists(atPath: libraries.appending(path: "\($0)/site-packages/\(package)").path())
        }
    }

    /// Schemathesis beside that Python; `nil` where it was not installed.
    static let schemathesis: String? = python.flatMap { python in
        let file = URL(filePath: python).deletingLastPathComponent().appending(path: "schemathesis").path()
        return FileManager.default.isExecutableFile(atPath: file) ? file : nil
    }

    /// A script that pushes with a client of another language.
    static func client(_ name: String) -> String {
        Repository.url("Tests/EndToEndTests/Clients/\(name)").path()
    }

    /// The script that makes a throwaway set of certificates.
    static let certificateMaker = Repository.url("certs.example/make.sh").path()

    /// A script of this clone.
    static func script(_ name: String) -> URL { Repository.url("scripts/\(name)") }

    /// A file of this clone.
    static func file(_ path: String) -> URL { Repository.url(path) }

    static func isInstalled(_ name: String) -> Bool { path(of: name) != nil }

    /// Where a program of the machine is; `nil` when it is not in the search path.
    static func path(of name: String) -> String? {
        (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }
}
