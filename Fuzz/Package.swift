// swift-tools-version: 6.2
import PackageDescription

// A separate package, because its programs have no `main` and link only with `--sanitize=fuzzer`, which scripts/fuzz uses.
//
// The targets test code that is not public. So they import PushProvider with `@testable`, which gives access to internal and to
// `package` code; `-package-name` would give access only to the latter. In a release build, PushProvider also needs
// `-enable-testing`. scripts/fuzz passes this flag to the compiler.

/// Each target is a program with this name. Its folder describes what it tests.
let targets = [
    "answers", "certificates", "faults", "http2-client", "http2-server", "lint", "p12", "p8", "provider-tokens",
    "proxies", "requests", "tls-client", "tls-server",
]

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let library: [Target.Dependency] = [
    .product(name: "PushLint", package: "PushProvider"),
    .product(name: "PushProvider", package: "PushProvider"),
    .product(name: "MockAPNs", package: "PushProvider"),
]

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Without this name, the identity of the package would be the name of the clone's folder.
        .package(name: "PushProvider", path: "../")
    ],
    targets: [
        .target(name: "FuzzSupport", dependencies: library, swiftSettings: settings)
    ]
        + targets.map { name in
            .executableTarget(
                name: name,
                dependencies: ["FuzzSupport"] + library,
                // Without this flag, the compiler treats a single file as a script and gives it a `main`. SwiftPM has no safe
                // setting for it. An unsafe flag is allowed here, because no other package depends on this one.
                swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])],
            )
        },
    swiftLanguageModes: [.v6],
)
