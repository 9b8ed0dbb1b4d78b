// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who depends on PushProvider fetches what only measuring needs.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Without the name its identity would be the name of the clone's folder.
        .package(name: "PushProvider", path: "../", traits: [])
    ],
    targets: [
        // How much memory of the heap is in use.
        .systemLibrary(name: "CHeap"),
        .executableTarget(
            name: "SendLoad",
            dependencies: [.product(name: "PushProvider", package: "PushProvider")],
        ),
        .executableTarget(
            name: "SilentMock",
            dependencies: [.product(name: "MockAPNs", package: "PushProvider")],
        ),
        .executableTarget(
            name: "Steps",
            dependencies: [.product(name: "PushProvider", package: "PushProvider")],
        ),
        .executableTarget(
            name: "LintLoad",
            dependencies: [
                .product(name: "PushLint", package: "PushProvider"),
                .product(name: "PushProvider", package: "PushProvider"),
            ],
        ),
        // The two sides of scripts/soak.
        .executableTarget(
            name: "SoakMock",
            dependencies: ["CHeap", .product(name: "MockAPNs", package: "PushProvider")],
        ),
        .executableTarget(
            name: "SoakSend",
            dependencies: ["CHeap", .product(name: "PushProvider", package: "PushProvider")],
        ),
    ],
    swiftLanguageModes: [.v6],
)
