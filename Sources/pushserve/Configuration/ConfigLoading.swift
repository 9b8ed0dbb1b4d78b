import APNSVocabulary
import PushCommandLine
import PushDelivery
import PushPlatform
import PushYAML

extension ServiceConfiguration {
    /// Reads the configuration: the file, if there is one, with what the environment sets.
    ///
    /// - Parameters:
    ///   - option: The value of `--config`.
    ///   - variables: The environment.
    /// - Returns: The configuration.
    /// - Throws: ``CommandFailure`` with every mistake.
    static func load(
        option: String?, _ variables: Variables = .ofProcess
    ) throws(CommandFailure) -> ServiceConfiguration {
        let file = ConfigFile.chosen(option: option, variables)
        guard file != nil || variables[set: ConfigVariables.app] != nil else { throw nothing }
        let bytes = try file?.read() ?? []
        return try rethrowing(
            try read(
                bytes, file: file?.path ?? "", folder: file?.folder ?? FileManager.default.currentDirectoryPath,
                isReadableByAll: file?.isReadableByAll ?? false, variables)
        ) { (error: ConfigMistakes) in CommandFailure(error) }
    }

    /// Reads a text with what the environment sets.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - file: The path for messages.
    ///   - folder: The folder that relative paths in the text begin at. Those of variables begin at the current folder.
    ///   - isReadableByAll: Whether every user can read the text, so that a password in it is worth a warning.
    ///   - variables: The environment.
    /// - Returns: The configuration.
    /// - Throws: ``ConfigMistakes``.
    static func read(
        _ bytes: [UInt8], file: String, folder: String, isReadableByAll: Bool = false,
        _ variables: Variables = Variables([:])
    ) throws(ConfigMistakes) -> ServiceConfiguration {
        var reader = ConfigReader(folder: folder)
        var configuration: ServiceConfiguration
        let environment = ConfigVariables(variables)
        do throws(ConfigMistake) {
            let root = try ConfigNode.read(bytes, file: file, limits: ConfigFile.limits)
            configuration = reader.configuration(environment.replacing(in: root))
            configuration.warnings += environment.misspelt
            configuration.warnings += environment.replacedDatabase(in: root, folder, by: configuration.database)
            if isReadableByAll, let location = root.firstPassword {
                configuration.warnings.append(
                    ConfigMistake(
                        location,
                        "This address has a password, and every user can read the file. Set the mode of the file to 0600 or 0640."
                    ))
            }
            if let member = try environment.appMember() {
                var ofVariables = ConfigReader(folder: FileManager.default.currentDirectoryPath)
                let app = ofVariables.app(member)
                reader.problems += ofVariables.problems
                if let other = configuration.apps.first(where: { $0.settings.name == member.key }) {
                    throw ConfigMistake(
                        member.location,
                        "The app \"\(member.key.printable)\" exists already, at \(other.location). Rename one of the two."
                    )
                }
                if let app { configuration.apps.append(app) }
            }
            if configuration.apps.isEmpty, reader.problems.isEmpty {
                throw ConfigMistake(
                    root.location, "There is no app. Add one below \"apps\", or set \(ConfigVariables.app).")
            }
        } catch {
            throw ConfigMistakes(problems: reader.problems + [error])
        }
        guard reader.problems.isEmpty else { throw ConfigMistakes(problems: reader.problems) }
        return configuration
    }

    private static var nothing: CommandFailure {
        CommandFailure(
            .badConfiguration,
            """
            There is no configuration. Write one, as "pushserve run --help" shows, and give it with --config FILE or PUSHSERVE_CONFIG. \
            Without an option, \(ConfigFile.defaultPaths.joined(separator: " or ")) is read.
            """)
    }
}

extension CommandFailure {
    /// A missing file has an exit code of its own, if there is no other mistake.
    init(_ error: ConfigMistakes) {
        let isOnlyFiles = error.problems.allSatisfy(\.isMissingFile)
        self.init(
            status: isOnlyFiles ? .noSuchFile : .badConfiguration,
            messages: error.inOrder.map { SecretText.masked($0.description) })
    }
}

/// All mistakes of a configuration: at least one.
struct ConfigMistakes: Error, Equatable, Sendable {
    var problems: [ConfigMistake]

    /// In the order of the file; those of the environment after it.
    var inOrder: [ConfigMistake] {
        problems.sorted { $0.location.order < $1.location.order }
    }
}

extension ConfigNode {
    /// Where the first address with a password is, of a database or a proxy: `scheme://user:password@host` or `?password=`.
    fileprivate var firstPassword: ConfigPosition? {
        switch content {
        case .nothing: return nil
        case .text(let text):
            guard let scheme = text.firstRange(of: "://") else { return nil }
            let rest = text[scheme.upperBound...]
            let login = rest.prefix { $0 != "/" && $0 != "?" }
            let hasLogin = login.lastIndex(of: "@").map { login[..<$0].contains(":") } ?? false
            return hasLogin || rest.contains("password=") ? location : nil
        case .list(let items): return items.lazy.compactMap(\.firstPassword).first
        case .group(let members): return members.lazy.compactMap(\.value.firstPassword).first
        }
    }
}
