import ArgumentParser
import MockAPNs
import PushProvider

struct MockPorts {
    static let defaultConsole = 2198

    /// The port for pushes; 0 for any free port.
    var mock: Int
    /// The ports that manage channels; `nil` for the usual ones.
    var channels: ChannelPortsArgument?
    /// The port of the API; `nil` for the usual one.
    var console: Int?

    /// Whether the mock has its usual port. Only then do its other ports have their usual numbers, so that a second mock needs only
    /// another --port.
    var areUsual: Bool { mock == APNSHost.alternatePort }

    func apply(to configuration: inout MockConfiguration) {
        configuration.port = mock
        configuration.sandboxChannelsPort = channels?.sandbox ?? (areUsual ? APNSHost.sandboxChannelsPort : 0)
        configuration.productionChannelsPort = channels?.production ?? (areUsual ? APNSHost.productionChannelsPort : 0)
    }

    /// The flag of a port that another program uses.
    func flag(of port: Int?) -> String {
        guard let port, port != mock else { return "--port" }
        return "--channel-ports"
    }
}

/// What the help says about the ports of a command's mock if none are given.
protocol PortDefaults: Sendable {
    static var mock: String { get }
    static var channels: String { get }
    static var console: String { get }
}

enum UsualPorts: PortDefaults {
    static let mock = "Default: \(APNSHost.alternatePort)."
    static let channels = "Default: Apple's, 2195,2196; with another --port any free ones."
    static let console = "Default: \(MockPorts.defaultConsole); with another --port any free port if that's in use."
}

enum FreePorts: PortDefaults {
    static let mock = "Default: any free port."
    static let channels = "Default: any free ones."
    static let console = mock
}

struct MockPortOptions<Defaults: PortDefaults>: ParsableArguments {
    @Option(
        name: .customLong("port"),
        help: ArgumentHelp("The port to listen on; 0 for any free port. \(Defaults.mock)", valueName: "port|0"))
    var mock: Int?

    @Option(
        name: .customLong("channel-ports"),
        help: ArgumentHelp(
            "The ports that manage broadcast channels, of the sandbox and of production. \(Defaults.channels)",
            valueName: "port,port"))
    var channels: ChannelPortsArgument?

    @Option(
        name: .customLong("console-port"),
        help: ArgumentHelp(
            "The port of the REST API, on the same address; 0 for any free port. \(Defaults.console)",
            valueName: "port|0"))
    var console: Int?

    func validate() throws {
        for (flag, port) in [("--port", mock), ("--console-port", console)] {
            guard let port, !(0...65_535).contains(port) else { continue }
            throw ValidationError("\(flag) must be from 0 to 65535.")
        }
    }

    /// Refuses a port for the API without the API.
    func requireUse(with api: ConsoleOptions) throws {
        guard api.isOff, console != nil else { return }
        throw ValidationError("--console-port has no effect with --no-console. Leave one out.")
    }
}

extension MockPortOptions<UsualPorts> {
    var ports: MockPorts { MockPorts(mock: mock ?? APNSHost.alternatePort, channels: channels, console: console) }
}

extension MockPortOptions<FreePorts> {
    var ports: MockPorts {
        MockPorts(mock: mock ?? 0, channels: channels ?? ChannelPortsArgument(argument: "0,0"), console: console ?? 0)
    }
}

/// Two ports, as in `2195,2196`.
struct ChannelPortsArgument: ExpressibleByArgument {
    var sandbox: Int
    var production: Int

    init?(argument: String) {
        let ports = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard ports.count == 2, let sandbox = ports[0], let production = ports[1],
            [sandbox, production].allSatisfy((0...65_535).contains), sandbox != production || sandbox == 0
        else { return nil }
        (self.sandbox, self.production) = (sandbox, production)
    }
}
