// swift-tools-version: 6.2
import PackageDescription

/// One array for every Swift target, so that all of them obey the same rules.
let settings: [SwiftSetting] = [
    // A protocol used as a type says so: `any EventLoop`.
    .enableUpcomingFeature("ExistentialAny"),
    // C types cannot leak: an import is internal unless it says `public`.
    .enableUpcomingFeature("InternalImportsByDefault"),
    // A member is found only through a module that the file itself imports.
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The commit for `pushsend --version`. scripts/lib/build.bash sets the variable.
let commit = (Context.environment["PUSHSEND_COMMIT"] ?? "").filter {
    $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+")
}

let package = Package(
    name: "PushProvider",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "PushProvider", targets: ["PushProvider"]),
        .library(name: "PushLint", targets: ["PushLint"]),
        .library(name: "PushCampaign", targets: ["PushCampaign"]),
        .library(name: "MockAPNs", targets: ["MockAPNs"]),
        .library(name: "VirtualPhones", targets: ["VirtualPhones"]),
        .library(name: "MockConsole", targets: ["MockConsole"]),
        .library(name: "PushQueue", targets: ["PushQueue"]),
        .library(name: "PushQueuePostgres", targets: ["PushQueuePostgres"]),
        .library(name: "PushServiceClient", targets: ["PushServiceClient"]),
        .executable(name: "pushsend", targets: ["pushsend"]),
        .executable(name: "pushserve", targets: ["pushserve"]),
    ],
    traits: [
        .trait(
            name: "CommandLineTool",
            description: "Builds pushsend, which needs packages that the libraries do without.",
            enabledTraits: ["MockConsole"]),
        .trait(
            name: "MockConsole",
            description: "Builds the mock's REST API, which needs a web server."),
        .trait(
            name: "PushService",
            description: "Builds pushserve, which needs a database and a web server."),
        .default(enabledTraits: ["CommandLineTool", "PushService"]),
    ],
    dependencies: [
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        // The parts of requests as Hummingbird's channel handlers see them.
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        // The certificate of the service. Hummingbird's TLS uses the same package.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // For webhooks, the only HTTP requests that the service itself makes.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // Without its traits: the mock needs neither its configuration files nor its TLS.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CNGHTTP2",
            pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])],
        ),
        .systemLibrary(
            name: "CSSL",
            pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])],
        ),
        .systemLibrary(
            name: "CYAML",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])],
        ),
        .systemLibrary(
            name: "CPQ",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])],
        ),
        .target(name: "CBuildCommit", cSettings: [.define("BUILD_COMMIT", to: "\"\(commit)\"")]),
        .target(name: "PushPlatform", swiftSettings: settings),
        .target(
            name: "PushWire",
            dependencies: ["APNSVocabulary", "CNGHTTP2", "CSSL", "PushPlatform"],
            swiftSettings: settings,
        ),
        .target(name: "APNSVocabulary", swiftSettings: settings),
        .target(name: "PushJSON", dependencies: ["APNSVocabulary"], swiftSettings: settings),
        // Without the trait, libyaml need not be installed.
        .target(
            name: "PushYAML",
            dependencies: [.target(name: "CYAML", condition: .when(traits: ["MockConsole", "PushService"]))],
            swiftSettings: settings,
        ),
        .target(
            name: "PushProvider",
            dependencies: [
                "APNSVocabulary",
                "PushJSON",
                "PushPlatform",
                "PushWire",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: settings,
        ),
        .target(
            name: "PushLint",
            dependencies: ["APNSVocabulary", "PushJSON", "PushPlatform", "PushProvider"],
            swiftSettings: settings,
        ),
        .target(
            name: "PushCampaign",
            dependencies: [
                "APNSVocabulary",
                "PushJSON",
                "PushLint",
                "PushPlatform",
                "PushProvider",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings,
        ),
        .target(
            name: "MockAPNs",
            dependencies: [
                "APNSVocabulary",
                "PushPlatform",
                "PushWire",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings,
        ),
        .target(
            name: "VirtualPhones",
            dependencies: ["APNSVocabulary", "MockAPNs", "PushPlatform"],
            swiftSettings: settings,
        ),
        // What the web servers of the mock and of the service have in common.
        .target(
            name: "PushHTTP",
            dependencies: [
                .product(
                    name: "Hummingbird", package: "hummingbird",
                    condition: .when(traits: ["MockConsole", "PushService"])),
                .product(
                    name: "HTTPTypes", package: "swift-http-types",
                    condition: .when(traits: ["MockConsole", "PushService"])),
                .product(
                    name: "NIOHTTPTypes", package: "swift-nio-extras",
                    condition: .when(traits: ["MockConsole", "PushService"])),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings,
        ),
        .target(
            name: "MockConsole",
            dependencies: [
                "APNSVocabulary",
                "MockAPNs",
                "PushHTTP",
                "PushPlatform",
                "PushYAML",
                "VirtualPhones",
                .product(
                    name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["MockConsole"])),
                .product(
                    name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["MockConsole"])),
                .product(
                    name: "NIOHTTPTypes", package: "swift-nio-extras", condition: .when(traits: ["MockConsole"])),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings,
            plugins: ["EmbedPage"],
        ),
        // Without the trait, SQLite need not be installed.
        .target(
            name: "PushQueue",
            dependencies: [
                "PushPlatform",
                "PushWire",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["PushService"])),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: .when(traits: ["PushService"])),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ],
            swiftSettings: settings,
        ),
        // Without the trait, libpq need not be installed.
        .target(
            name: "PushQueuePostgres",
            dependencies: [
                "PushPlatform",
                "PushQueue",
                .target(name: "CPQ", condition: .when(traits: ["PushService"])),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ],
            swiftSettings: settings,
        ),
        // Between the queue and APNs. It needs no web server.
        .target(
            name: "PushDelivery",
            dependencies: [
                "APNSVocabulary",
                "PushCampaign",
                "PushJSON",
                "PushLint",
                "PushPlatform",
                "PushProvider",
                "PushQueue",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings,
        ),
        .target(
            name: "PushService",
            dependencies: [
                "APNSVocabulary",
                "PushCampaign",
                "PushDelivery",
                "PushHTTP",
                "PushJSON",
                "PushLint",
                "PushPlatform",
                "PushProvider",
                "PushQueue",
                "PushWire",
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["PushService"])),
                .product(
                    name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["PushService"])),
                .product(
                    name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["PushService"])),
                .product(
                    name: "HummingbirdTLS", package: "hummingbird", condition: .when(traits: ["PushService"])),
                .product(
                    name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["PushService"])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(
                    name: "NIOHTTPTypes", package: "swift-nio-extras", condition: .when(traits: ["PushService"])),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["PushService"])),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings,
            plugins: ["EmbedPage"],
        ),
        // For Swift programs that hand their pushes to a service.
        .target(
            name: "PushServiceClient",
            dependencies: [
                "APNSVocabulary",
                "PushJSON",
                "PushPlatform",
                "PushProvider",
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["PushService"])),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings,
        ),
        .executableTarget(
            name: "pushserve",
            dependencies: [
                "APNSVocabulary",
                "CBuildCommit",
                "PushDelivery",
                "PushJSON",
                "PushLint",
                "PushPlatform",
                "PushProvider",
                "PushQueue",
                .target(name: "PushQueuePostgres", condition: .when(traits: ["PushService"])),
                "PushService",
                "PushYAML",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser",
                    condition: .when(traits: ["PushService"])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings,
        ),
        // Makes Swift of the web pages that MockConsole and PushService serve.
        .plugin(name: "EmbedPage", capability: .buildTool(), dependencies: ["PageEncoder"]),
        .executableTarget(name: "PageEncoder", path: "Plugins/PageEncoder", swiftSettings: settings),
        .executableTarget(
            name: "pushsend",
            dependencies: [
                "APNSVocabulary",
                "CBuildCommit",
                "MockAPNs",
                "MockConsole",
                "PushCampaign",
                "PushJSON",
                "PushLint",
                "PushPlatform",
                "PushProvider",
                "PushWire",
                "PushYAML",
                "VirtualPhones",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser",
                    condition: .when(traits: ["CommandLineTool"])),
                .product(
                    name: "Histogram", package: "hdrhistogram-swift", condition: .when(traits: ["CommandLineTool"])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings,
        ),
        // What the tests of several targets use: scripted servers, certificates, random numbers that come again.
        .target(
            name: "TestSupport",
            dependencies: [
                "MockAPNs",
                "PushJSON",
                "PushLint",
                "PushPlatform",
                "PushProvider",
                "PushWire",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/TestSupport",
            swiftSettings: settings,
        ),
        .testTarget(name: "APNSVocabularyTests", dependencies: ["APNSVocabulary"], swiftSettings: settings),
        .testTarget(name: "PushWireTests", dependencies: ["PushWire", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "PushJSONTests", dependencies: ["PushJSON", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "PushYAMLTests", dependencies: ["PushYAML", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "PushProviderTests",
            dependencies: [
                "APNSVocabulary",
                "MockAPNs",
                "PushJSON",
                "PushLint",
                "PushProvider",
                "PushWire",
                "TestSupport",
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: settings,
        ),
        .testTarget(
            name: "PushLintTests",
            dependencies: ["APNSVocabulary", "PushJSON", "PushLint", "PushProvider", "TestSupport"],
            swiftSettings: settings,
        ),
        .testTarget(
            name: "PushCampaignTests",
            dependencies: [
                "APNSVocabulary",
                "MockAPNs",
                "PushCampaign",
                "PushJSON",
                "PushLint",
                "PushProvider",
                "TestSupport",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings,
        ),
        .testTarget(
            name: "MockAPNsTests",
            dependencies: [
                "APNSVocabulary",
                "MockAPNs",
                "PushLint",
                "PushProvider",
                "PushWire",
                "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings,
        ),
        .testTarget(
            name: "VirtualPhonesTests",
            dependencies: ["APNSVocabulary", "MockAPNs", "PushPlatform", "TestSupport", "VirtualPhones"],
            swiftSettings: settings,
        ),
        .testTarget(
            name: "MockConsoleTests",
            dependencies: [
                "APNSVocabulary", "MockAPNs", "MockConsole", "PushHTTP", "PushProvider", "TestSupport", "VirtualPhones",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings,
        ),
        // What every queue must do: the checks and the model that the tests of each backend run.
        .target(
            name: "QueueConformance",
            dependencies: [
                "PushPlatform",
                "PushQueue",
                "TestSupport",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ],
            path: "Tests/QueueConformance",
            swiftSettings: settings,
        ),
        .testTarget(
            name: "PushQueueTests",
            dependencies: [
                "PushPlatform",
                "PushQueue",
                "QueueConformance",
                "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["PushService"])),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: .when(traits: ["PushService"])),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ],
            exclude: ["Formats"],
            swiftSettings: settings,
        ),
        .testTarget(
            name: "PushQueuePostgresTests",
            dependencies: [
                "PushPlatform",
                "PushQueue",
                "PushQueuePostgres",
                "QueueConformance",
                "TestSupport",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ],
            swiftSettings: settings,
        ),
        .testTarget(
            name: "PushDeliveryTests",
            dependencies: [
                "APNSVocabulary",
                "MockAPNs",
                "PushCampaign",
                "PushDelivery",
                "PushPlatform",
                "PushProvider",
                "PushQueue",
                "PushWire",
                "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings,
        ),
        .testTarget(
            name: "PushServiceTests",
            dependencies: [
                "APNSVocabulary",
                "MockAPNs",
                "PushDelivery",
                "PushHTTP",
                "PushJSON",
                "PushPlatform",
                "PushProvider",
                "PushQueue",
                "PushService",
                "PushServiceClient",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings,
        ),
        .testTarget(
            name: "PushserveTests",
            dependencies: [
                "APNSVocabulary",
                "MockAPNs",
                "PushDelivery",
                "PushJSON",
                "PushPlatform",
                "PushProvider",
                "PushQueue",
                .target(name: "PushQueuePostgres", condition: .when(traits: ["PushService"])),
                "PushService",
                "PushWire",
                "pushserve",
                "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings,
        ),
        .testTarget(
            name: "PushsendTests",
            dependencies: [
                "APNSVocabulary", "MockAPNs", "PushCampaign", "PushJSON", "PushLint", "PushProvider", "pushsend",
                "TestSupport",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser",
                    condition: .when(traits: ["CommandLineTool"])),
            ],
            swiftSettings: settings,
        ),
        // Starts the built program, and clients and servers of other languages. Only those in OtherServers, which meet our
        // client itself, see any of our code.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "MockAPNs",
                "PushCampaign",
                "PushJSON",
                "PushLint",
                "PushProvider",
                "pushsend",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: ["Clients"],
            swiftSettings: settings,
        ),
    ],
    swiftLanguageModes: [.v6],
)
