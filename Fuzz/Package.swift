// swift-tools-version: 6.2
import PackageDescription

// A package of its own: what it builds has no `main` of its own and links only with `--sanitize=fuzzer`, as scripts/fuzz
// does it.
//
// What the targets feed is seen by nobody outside of PushProvider. So they import it with `@testable`, which reaches both
// what is internal and what is `package`; `-package-name` would reach only the latter. In a release build that needs
// `-enable-testing` for PushProvider too, and scripts/fuzz says so to the compiler.

/// Each is a program of that name; its folder says what it feeds with bytes.
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
        // Without the name its identity would be the name of the clone's folder.
        .package(name: "PushProvider", path: "../")
    ],
    targets: [
        .target(name: "FuzzSupport", dependencies: library, swiftSettings: settings)
    ]
        + targets.map { name in
            .executableTarget(
                name: name,
                dependencies: ["FuzzSupport"] + library,
                // A single file would otherwise be taken for a script, and get a `main`. There is no safe setting for it, and nobody
                // depends on this package.
                swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])],
            )
        },
    swiftLanguageModes: [.v6],
)
