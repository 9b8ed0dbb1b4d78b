// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of PushProvider do not fetch packages that only the benchmarks need.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Without this name, the identity of the package would be the name of the clone's folder.
        // The trait adds SQLite to the queue. The web servers that it also adds are not built here.
        .package(name: "PushProvider", path: "../")
    ],
    targets: [
        // Reports how much memory of the heap is in use.
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
        .executableTarget(
            name: "QueueLoad",
            dependencies: [
                .product(name: "PushQueue", package: "PushProvider"),
                .product(name: "PushQueuePostgres", package: "PushProvider"),
            ],
        ),
        // The mock and the sender of scripts/soak.
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
