// swift-tools-version: 6.2
import PackageDescription

// A separate package, like that of a user. It can use only the public parts of PushProvider.
let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        // What the app's service extension has as CryptoKit: it opens here what the library has sealed.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // MockConsole, the mock's REST API, and PushServiceClient are the products that need a trait.
        .package(name: "PushProvider", path: "../"),
    ],
    targets: [
        .executableTarget(
            name: "CheckPayload",
            dependencies: [
                "MockRun",
                .product(name: "PushLint", package: "PushProvider"),
                .product(name: "PushProvider", package: "PushProvider"),
            ]
        ),
        .executableTarget(
            name: "CheckWebhook",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")]
        ),
        .executableTarget(
            name: "DeliveryCounts",
            dependencies: [.product(name: "DeliveryReports", package: "PushProvider")]
        ),
        .executableTarget(
            name: "ExportMetrics",
            dependencies: [
                .product(name: "PushProvider", package: "PushProvider"),
                .product(name: "MockAPNs", package: "PushProvider"),
                .product(name: "PushTesting", package: "PushProvider"),
                .product(name: "Metrics", package: "swift-metrics"),
            ]
        ),
        .executableTarget(
            name: "LiveActivities",
            dependencies: [
                "MockRun",
                .product(name: "PushProvider", package: "PushProvider"),
                .product(name: "MockAPNs", package: "PushProvider"),
                .product(name: "PushTesting", package: "PushProvider"),
            ]
        ),
        .target(
            name: "MockRun",
            dependencies: [
                .product(name: "PushProvider", package: "PushProvider"),
                .product(name: "MockAPNs", package: "PushProvider"),
                .product(name: "PushTesting", package: "PushProvider"),
            ]
        ),
        .executableTarget(
            name: "RichNotifications",
            dependencies: [
                "MockRun",
                .product(name: "PushProvider", package: "PushProvider"),
                .product(name: "MockAPNs", package: "PushProvider"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .executableTarget(
            name: "SendCampaign",
            dependencies: [
                "MockRun",
                .product(name: "PushCampaign", package: "PushProvider"),
                .product(name: "PushProvider", package: "PushProvider"),
                .product(name: "MockAPNs", package: "PushProvider"),
            ]
        ),
        .executableTarget(
            name: "SendFromHummingbird",
            dependencies: [
                "MockRun",
                .product(name: "PushProvider", package: "PushProvider"),
                .product(name: "MockAPNs", package: "PushProvider"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .executableTarget(
            name: "SendFromService",
            dependencies: [
                "MockRun",
                .product(name: "PushProvider", package: "PushProvider"),
                .product(name: "MockAPNs", package: "PushProvider"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .executableTarget(
            name: "SendOne",
            dependencies: [.product(name: "PushProvider", package: "PushProvider")]
        ),
        .executableTarget(
            name: "SendThroughProxy",
            dependencies: [.product(name: "PushProvider", package: "PushProvider")]
        ),
        .executableTarget(
            name: "SendToService",
            dependencies: [
                .product(name: "PushProvider", package: "PushProvider"),
                .product(name: "PushServiceClient", package: "PushProvider"),
            ]
        ),
        .executableTarget(
            name: "SendWithCertificate",
            dependencies: [.product(name: "PushProvider", package: "PushProvider")]
        ),
        .testTarget(
            name: "SenderTests",
            dependencies: [
                .product(name: "PushProvider", package: "PushProvider"),
                .product(name: "MockAPNs", package: "PushProvider"),
                .product(name: "PushTesting", package: "PushProvider"),
                .product(name: "MockConsole", package: "PushProvider"),
                .product(name: "VirtualPhones", package: "PushProvider"),
            ]
        ),
        .executableTarget(
            name: "TestAgainstMock",
            dependencies: [
                .product(name: "PushProvider", package: "PushProvider"),
                .product(name: "MockAPNs", package: "PushProvider"),
                .product(name: "PushTesting", package: "PushProvider"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
