// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as yours would be: it sees of PushProvider what any user sees.
let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "PushProvider", path: "../")
    ],
    targets: [
        .executableTarget(
            name: "SendOne",
            dependencies: [.product(name: "PushProvider", package: "PushProvider")]
        ),
        .executableTarget(
            name: "SendWithCertificate",
            dependencies: [.product(name: "PushProvider", package: "PushProvider")]
        ),
        .executableTarget(
            name: "TestAgainstMock",
            dependencies: [
                .product(name: "PushProvider", package: "PushProvider"),
                .product(name: "MockAPNs", package: "PushProvider"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
