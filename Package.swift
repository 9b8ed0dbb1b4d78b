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

/// The products of other packages, and the traits that need them. Without one of its traits, SwiftPM does not fetch the package.
let products: [(package: String, names: Set<String>, traits: Set<String>)] = [
    ("GRDB.swift", ["GRDB", "GRDBSQLite"], ["PushService"]),
    ("async-http-client", ["AsyncHTTPClient"], ["PushService"]),
    ("hdrhistogram-swift", ["Histogram"], ["CommandLineTool"]),
    ("hummingbird", ["Hummingbird"], ["MockConsole", "PushService"]),
    ("hummingbird", ["HummingbirdCore", "HummingbirdTLS"], ["PushService"]),
    ("swift-argument-parser", ["ArgumentParser"], ["CommandLineTool", "PushService"]),
    ("swift-collections", ["DequeModule"], []),
    ("swift-distributed-tracing", ["InMemoryTracing", "Tracing"], []),
    ("swift-http-types", ["HTTPTypes"], ["MockConsole", "PushService"]),
    ("swift-log", ["Logging"], []),
    ("swift-metrics", ["Metrics", "MetricsTestKit"], []),
    ("swift-nio", ["NIOConcurrencyHelpers", "NIOCore", "NIOPosix"], []),
    ("swift-nio", ["NIOEmbedded", "NIOFoundationCompat", "NIOHTTP1"], []),
    ("swift-nio-extras", ["NIOHTTPTypes"], ["MockConsole", "PushService"]),
    ("swift-nio-ssl", ["NIOSSL"], ["PushService"]),
    ("swift-service-lifecycle", ["ServiceLifecycle", "ServiceLifecycleTestKit"], []),
]

/// The system libraries that only some traits need. Without one of these traits, the library need not be installed.
let traitsOfLibraries: [String: Set<String>] = ["CPQ": ["PushService"], "CYAML": ["MockConsole", "PushService"]]

func dependency(_ name: String) -> Target.Dependency {
    let product = products.first { $0.names.contains(name) }
    let traits = product?.traits ?? traitsOfLibraries[name] ?? []
    let condition = traits.isEmpty ? nil : TargetDependencyCondition.when(traits: traits)
    guard let package = product?.package else { return .target(name: name, condition: condition) }
    return .product(name: name, package: package, condition: condition)
}

/// A library or program with the settings of all. `names` are our own targets and products of other packages.
func module(
    _ name: String, path: String? = nil, plugins: [Target.PluginUsage] = [], uses names: [String] = []
) -> Target {
    .target(
        name: name, dependencies: names.map(dependency), path: path, swiftSettings: settings, plugins: plugins)
}

func program(_ name: String, path: String? = nil, uses names: [String] = []) -> Target {
    .executableTarget(name: name, dependencies: names.map(dependency), path: path, swiftSettings: settings)
}

/// The tests of a target: for `pushserve`, PushserveTests. They also use the target and TestSupport.
func tests(of name: String, exclude: [String] = [], uses names: [String] = []) -> Target {
    .testTarget(
        name: "\(name.prefix(1).uppercased() + name.dropFirst())Tests",
        dependencies: ([name, "TestSupport"] + names).map(dependency), exclude: exclude, swiftSettings: settings)
}

let package = Package(
    name: "PushProvider",
    platforms: [.macOS(.v15)],
    products: [
        "PushProvider", "PushLint", "PushCampaign", "MockAPNs", "PushTesting", "APNSVocabulary", "VirtualPhones",
        "MockConsole", "PushQueue", "PushQueuePostgres", "PushServiceClient", "DeliveryReports",
    ].map { .library(name: $0, targets: [$0]) }
        + ["pushsend", "pushserve"].map { .executable(name: $0, targets: [$0]) },
    traits: [
        .trait(
            name: "CommandLineTool",
            description: "Builds pushsend, which needs packages that the libraries do without.",
            enabledTraits: ["MockConsole"]),
        .trait(name: "MockConsole", description: "Builds the mock's REST API, which needs a web server."),
        .trait(name: "PushService", description: "Builds pushserve, which needs a database and a web server."),
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
            name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]),
        .systemLibrary(name: "CSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        .systemLibrary(name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(name: "CBuildCommit", cSettings: [.define("BUILD_COMMIT", to: "\"\(commit)\"")]),
        module("PushPlatform"),
        // Times and durations as text, for both sides.
        module("PushTime", uses: ["PushPlatform"]),
        module("APNSVocabulary"),
        module("PushWire", uses: ["APNSVocabulary", "CNGHTTP2", "CSSL", "PushPlatform"]),
        module("PushJSON", uses: ["APNSVocabulary", "PushTime"]),
        module("PushYAML", uses: ["APNSVocabulary", "CYAML"]),
        module(
            "PushProvider",
            uses: [
                "APNSVocabulary", "PushJSON", "PushPlatform", "PushTime", "PushWire", "DequeModule", "Logging",
                "Metrics", "NIOConcurrencyHelpers", "NIOCore", "NIOPosix", "ServiceLifecycle", "Tracing",
            ]),
        // What Apple counts: delivered, stored and discarded pushes.
        module("DeliveryReports", uses: ["PushJSON", "PushPlatform", "PushProvider", "PushTime"]),
        module("PushLint", uses: ["APNSVocabulary", "PushJSON", "PushPlatform", "PushProvider", "PushTime"]),
        module(
            "PushCampaign",
            uses: [
                "APNSVocabulary", "PushJSON", "PushLint", "PushPlatform", "PushProvider", "PushTime",
                "NIOConcurrencyHelpers", "NIOPosix",
            ]),
        module(
            "MockAPNs",
            uses: [
                "APNSVocabulary", "PushJSON", "PushPlatform", "PushTime", "PushWire", "DequeModule", "Logging",
                "NIOConcurrencyHelpers", "NIOCore", "NIOPosix",
            ]),
        // Clients of PushProvider for a mock, for the tests of an app.
        module("PushTesting", uses: ["APNSVocabulary", "MockAPNs", "PushProvider"]),
        module("VirtualPhones", uses: ["APNSVocabulary", "MockAPNs", "PushJSON", "PushPlatform", "PushTime"]),
        // What the web servers of the mock and of the service have in common.
        module(
            "PushHTTP",
            uses: [
                "APNSVocabulary", "PushJSON", "PushPlatform", "PushTime", "HTTPTypes", "Hummingbird",
                "NIOConcurrencyHelpers", "NIOCore", "NIOHTTP1", "NIOHTTPTypes",
            ]),
        module(
            "MockConsole", plugins: ["EmbedPage"],
            uses: [
                "APNSVocabulary", "MockAPNs", "PushHTTP", "PushJSON", "PushPlatform", "PushTime", "PushYAML",
                "VirtualPhones", "HTTPTypes", "Hummingbird", "Logging", "NIOConcurrencyHelpers", "NIOCore", "NIOPosix",
                "ServiceLifecycle",
            ]),
        module("PushQueue", uses: ["PushPlatform", "PushWire", "GRDB", "GRDBSQLite", "NIOConcurrencyHelpers"]),
        module("PushQueuePostgres", uses: ["CPQ", "PushPlatform", "PushQueue", "PushTime", "NIOConcurrencyHelpers"]),
        // How both programs read their command lines.
        module(
            "PushCommandLine",
            uses: ["APNSVocabulary", "CBuildCommit", "PushJSON", "PushPlatform", "ArgumentParser"]),
        // Between the queue and APNs. It needs no web server.
        module(
            "PushDelivery",
            uses: [
                "APNSVocabulary", "PushCampaign", "PushJSON", "PushPlatform", "PushProvider", "PushQueue", "PushTime",
                "PushWire", "Logging", "NIOConcurrencyHelpers", "NIOCore", "ServiceLifecycle",
            ]),
        module(
            "PushService", plugins: ["EmbedPage"],
            uses: [
                "APNSVocabulary", "DeliveryReports", "PushCampaign", "PushDelivery", "PushHTTP", "PushJSON", "PushLint",
                "PushPlatform", "PushProvider", "PushQueue", "PushQueuePostgres", "PushTime", "PushWire",
                "AsyncHTTPClient", "HTTPTypes", "Hummingbird", "HummingbirdCore", "HummingbirdTLS", "Logging",
                "NIOConcurrencyHelpers", "NIOCore", "NIOHTTPTypes", "NIOPosix", "NIOSSL", "ServiceLifecycle",
            ]),
        // For Swift programs that hand their pushes to a service.
        module(
            "PushServiceClient",
            uses: [
                "APNSVocabulary", "PushJSON", "PushPlatform", "PushProvider", "PushTime", "AsyncHTTPClient", "NIOCore",
                "NIOFoundationCompat", "NIOHTTP1",
            ]),
        program(
            "pushsend",
            uses: [
                "APNSVocabulary", "DeliveryReports", "MockAPNs", "MockConsole", "PushCampaign", "PushCommandLine",
                "PushJSON", "PushLint", "PushPlatform", "PushProvider", "PushTime", "PushWire", "PushYAML",
                "VirtualPhones", "ArgumentParser", "Histogram", "Logging", "NIOConcurrencyHelpers", "NIOCore",
                "NIOHTTP1", "NIOPosix",
            ]),
        program(
            "pushserve",
            uses: [
                "APNSVocabulary", "PushCommandLine", "PushDelivery", "PushJSON", "PushPlatform", "PushProvider",
                "PushQueue", "PushQueuePostgres", "PushService", "PushTime", "PushWire", "PushYAML", "ArgumentParser",
                "Logging", "NIOConcurrencyHelpers", "NIOCore", "NIOPosix", "ServiceLifecycle",
            ]),
        // Makes Swift of the web pages that MockConsole and PushService serve.
        .plugin(name: "EmbedPage", capability: .buildTool(), dependencies: ["PageEncoder"]),
        program("PageEncoder", path: "Plugins/PageEncoder"),
        // What the tests of several targets use: scripted servers, certificates, random numbers that come again.
        module(
            "TestSupport", path: "Tests/TestSupport",
            uses: [
                "MockAPNs", "PushJSON", "PushLint", "PushPlatform", "PushProvider", "PushWire", "Logging",
                "NIOConcurrencyHelpers", "NIOCore", "NIOPosix",
            ]),
        // What every queue must do: the checks and the model that the tests of each engine run.
        module(
            "QueueConformance", path: "Tests/QueueConformance",
            uses: ["PushPlatform", "PushQueue", "PushQueuePostgres", "TestSupport", "NIOConcurrencyHelpers"]),
        tests(
            of: "PushProvider",
            uses: [
                "APNSVocabulary", "MockAPNs", "PushJSON", "PushLint", "PushPlatform", "PushTime", "PushWire",
                "InMemoryTracing", "Logging", "Metrics", "MetricsTestKit", "NIOConcurrencyHelpers", "NIOCore",
                "NIOPosix", "ServiceLifecycle", "ServiceLifecycleTestKit", "Tracing",
            ]),
        tests(of: "PushLint", uses: ["PushJSON", "PushProvider"]),
        tests(
            of: "PushCampaign", uses: ["MockAPNs", "PushJSON", "PushLint", "PushPlatform", "PushProvider", "NIOPosix"]),
        tests(of: "MockAPNs", uses: ["APNSVocabulary", "PushJSON", "PushProvider", "PushWire", "NIOCore", "NIOPosix"]),
        tests(of: "PushTesting", uses: ["APNSVocabulary", "MockAPNs", "PushProvider"]),
        tests(of: "VirtualPhones", uses: ["APNSVocabulary", "MockAPNs", "PushJSON", "PushPlatform"]),
        tests(
            of: "MockConsole",
            uses: [
                "APNSVocabulary", "MockAPNs", "PushHTTP", "PushJSON", "PushPlatform", "PushProvider", "VirtualPhones",
                "HTTPTypes", "Hummingbird", "Logging", "NIOConcurrencyHelpers", "NIOCore",
            ]),
        tests(
            of: "PushQueue", exclude: ["Formats"],
            uses: ["PushPlatform", "QueueConformance", "GRDB", "GRDBSQLite", "NIOConcurrencyHelpers"]),
        tests(
            of: "PushQueuePostgres", exclude: ["Formats"],
            uses: ["PushPlatform", "PushQueue", "QueueConformance", "NIOConcurrencyHelpers"]),
        tests(
            of: "PushDelivery",
            uses: [
                "APNSVocabulary", "MockAPNs", "PushCampaign", "PushPlatform", "PushProvider", "PushQueue",
                "PushQueuePostgres", "PushWire", "QueueConformance", "Logging", "NIOConcurrencyHelpers", "NIOPosix",
            ]),
        tests(
            of: "PushService",
            uses: [
                "APNSVocabulary", "PushDelivery", "PushHTTP", "PushJSON", "PushPlatform", "PushProvider", "PushQueue",
                "PushQueuePostgres", "PushServiceClient", "QueueConformance", "HTTPTypes", "Hummingbird", "Logging",
                "NIOConcurrencyHelpers", "NIOCore", "NIOEmbedded", "NIOHTTPTypes", "NIOPosix", "NIOSSL",
                "ServiceLifecycle",
            ]),
        tests(
            of: "pushserve",
            uses: [
                "APNSVocabulary", "MockAPNs", "PushCommandLine", "PushDelivery", "PushPlatform", "PushProvider",
                "PushQueue", "PushQueuePostgres", "PushService", "PushWire", "PushYAML", "ArgumentParser", "Logging",
                "NIOConcurrencyHelpers",
            ]),
        tests(
            of: "pushsend",
            uses: [
                "APNSVocabulary", "DeliveryReports", "MockAPNs", "PushCampaign", "PushCommandLine", "PushJSON",
                "PushLint", "PushProvider", "PushWire", "PushYAML", "ArgumentParser",
            ]),
        // Starts the built programs, and clients and servers of other languages. Only the tests in OtherServers use our client.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "APNSVocabulary", "MockAPNs", "PushCampaign", "PushJSON", "PushLint", "PushPlatform", "PushProvider",
                "TestSupport", "pushsend", "NIOConcurrencyHelpers", "NIOCore", "NIOPosix",
            ].map(dependency), exclude: ["Clients", "Formats"], swiftSettings: settings),
    ] + ["APNSVocabulary", "PushPlatform", "PushWire", "PushJSON", "PushTime", "PushYAML"].map { tests(of: $0) },
    swiftLanguageModes: [.v6],
)

/// The targets of tests to build, separated by commas. The builds with a sanitizer need two of them.
let chosen = Context.environment["TEST_TARGETS"]?.split(separator: ",").map(String.init)
package.targets.removeAll { $0.type == .test && chosen?.contains($0.name) == false }
