internal import APNSVocabulary
import ArgumentParser
import PushCommandLine
internal import PushJSON
internal import PushLint
import PushPlatform
import PushProvider
internal import PushWire

struct PayloadOptions: ParsableArguments {
    @Option(
        name: [.short, .long], parsing: .unconditional, help: ArgumentHelp("The text of the alert.", valueName: "text"))
    var message: String?

    @Option(
        name: [.short, .long], parsing: .unconditional, help: ArgumentHelp("The title of the alert.", valueName: "text")
    )
    var title: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The second line of the alert.", valueName: "text"))
    var subtitle: String?

    @Option(
        name: [.short, .long], help: ArgumentHelp("The number on the app icon; 0 removes it.", valueName: "number"))
    var badge: Int?

    @Option(
        name: [.short, .long], parsing: .unconditional,
        help: ArgumentHelp("The name of a sound file in the app, or default.", valueName: "name"),
        completion: .list(["default"]))
    var sound: String?

    @Option(
        name: [.customShort("y"), .long], parsing: .unconditional,
        help: ArgumentHelp("A notification category that the app has registered.", valueName: "name")
    )
    var category: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Group notifications that have the same id.", valueName: "id"))
    var threadID: String?

    @Flag(help: "Let the app's notification service extension change the notification before it is shown.")
    var mutableContent = false

    @Flag(help: "Wake the app in the background. Without an alert, sound or badge, the push is silent.")
    var contentAvailable = false

    @Option(
        name: [.customShort("d"), .customLong("data")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Add a custom key with a text value, next to aps. Repeatable.", valueName: "key=text")
    )
    var data: [String] = []

    @Option(
        name: .customLong("data-json"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Add a custom key with any JSON value, such as 'ids=[1,2]'. Repeatable.", valueName: "key=json")
    )
    var jsonData: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The whole payload: a .json or .apns file, - for standard input, or the JSON itself.",
            valueName: "file|-|json"),
        completion: .file())
    var payload: String?

    @Option(
        help: ArgumentHelp(
            "A ready-made payload, such as alert, rich or live-activity-start; the flags above change it. \"list\" shows all.",
            valueName: "kind"),
        completion: .templates)
    var template: String?

    @Option(
        name: .customLong("channel"),
        help: ArgumentHelp(
            "The broadcast channel of the template live-activity-start-channel.", valueName: "channel-id"))
    var inputChannel: String?

    /// Reads or builds the payload. The times in a template are computed from `now`.
    func composed(at now: Date = Date()) throws -> ComposedPayload {
        if let payload {
            if template != nil {
                throw CommandFailure.usage(notTogether("--payload", "--template"))
            }
            if hasMessageFlags {
                throw CommandFailure.usage(
                    "--payload is the whole payload: leave out the flags that build one (-m, -t, -d ...).")
            }
            return ComposedPayload(raw: try Self.bytes(of: payload))
        }
        if let template { return try composed(template: template, now) }
        guard hasMessageFlags else {
            throw CommandFailure.usage("There is no message: give -m TEXT, or a complete payload with --payload FILE.")
        }
        if inputChannel != nil {
            throw CommandFailure.usage(
                "--channel needs a template that subscribes: --template live-activity-start-channel.")
        }
        if let message, message.allSatisfy(\.isWhitespace) {
            throw CommandFailure.usage(
                "-m has no text: leave it out, or check that the shell variable in it has a value.")
        }
        return ComposedPayload(
            built: .alert(
                title: title, subtitle: subtitle, body: message, badge: badge, sound: sound, category: category,
                threadID: threadID, mutableContent: mutableContent, contentAvailable: contentAvailable,
                custom: try customKeys()
            ))
    }

    private func composed(template name: String, _ now: Date) throws -> ComposedPayload {
        let template = try ReadyPayload.named(name)
        let built: PushPayload
        do {
            built = try template.payload(Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down)))
        } catch {
            throw CommandFailure(.ourFault, "The template \(template.name): \(error)")
        }
        guard hasMessageFlags else { return ComposedPayload(template, built) }
        var changes = TemplateChanges(template, built)
        try changes.apply(self, custom: try customKeys())
        return ComposedPayload(template, changes.payload)
    }

    var isEmpty: Bool { payload == nil && template == nil && !hasMessageFlags }

    /// Whether the list of templates is requested, instead of sending.
    var asksForTemplates: Bool { template == "list" }

    /// The file of the payload; `nil` if it has another source.
    var file: String? {
        guard let payload, !SingleUseInput.isOne(payload), !payload.drop(while: \.isWhitespace).hasPrefix("{"),
            !payload.hasPrefix("\"")
        else { return nil }
        return payload
    }

    private var hasMessageFlags: Bool {
        message != nil || title != nil || subtitle != nil || badge != nil || sound != nil || category != nil
            || threadID != nil || mutableContent || contentAvailable || !data.isEmpty || !jsonData.isEmpty
            || inputChannel != nil
    }

    private func customKeys() throws -> [String: PushJSONValue] {
        var custom: [String: PushJSONValue] = [:]
        for entry in data {
            let (key, text) = try Self.keyAndValue(entry, flag: "-d", form: "KEY=TEXT")
            custom[key] = .string(text)
        }
        for entry in jsonData {
            let (key, text) = try Self.keyAndValue(entry, flag: "--data-json", form: "KEY=JSON")
            guard let value = PushJSONValue(json: Array(text.utf8)) else {
                throw CommandFailure(
                    .invalidInput,
                    "--data-json \(key): \"\(text.prefix(40))\" isn't JSON; for text use -d \(key)=TEXT.")
            }
            if let change = Self.change(of: value, text) {
                throw CommandFailure(.invalidInput, "--data-json \(key): \(change)")
            }
            custom[key] = value
        }
        return custom
    }

    /// How a value would not be sent as it was given; `nil` if it would be.
    private static func change(of value: PushJSONValue, _ text: String) -> String? {
        if value.hasInexactNumber {
            return
                "A number has more digits than are kept. Give the whole payload with --payload, or the number as a text."
        }
        let payload = Array("{\"aps\":{},\"value\":\(text)}".utf8)
        return PayloadLint.findings(in: payload, LintContext()).first { $0.rule == "duplicate-key" }?.problem
    }

    private static func keyAndValue(
        _ entry: String, flag: String, form: String
    ) throws -> (key: String, value: String) {
        if entry.hasPrefix("{") {
            throw CommandFailure.usage("\(flag) takes \(form): did you mean --payload '\(entry.prefix(40))'?")
        }
        guard let separator = entry.firstIndex(of: "="), separator != entry.startIndex else {
            throw CommandFailure.usage("\(flag) takes \(form), not \"\(entry.prefix(40))\".")
        }
        let key = String(entry[..<separator])
        if key == "aps" {
            throw CommandFailure.usage("\(flag) aps=... would replace the whole aps dictionary: use --payload.")
        }
        return (key, String(entry[entry.index(after: separator)...]))
    }

    private static func bytes(of source: String) throws -> [UInt8] {
        if source.drop(while: \.isWhitespace).hasPrefix("{") { return Array(source.utf8) }
        if let bytes = try SingleUseInput.contents(source, of: "a payload") {
            try MistakenPayload.refuse(bytes, from: source)
            return bytes
        }
        var isFolder = false
        guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder) else {
            // JSON that is not an object: the payload check reports what is wrong.
            if source.hasPrefix("[") || source.hasPrefix("\"") { return Array(source.utf8) }
            throw CommandFailure(.noSuchFile, "There is no payload file \"\(source)\".")
        }
        if isFolder {
            throw CommandFailure(.noSuchFile, "The payload \"\(source)\" is a folder, not a file.")
        }
        guard let bytes = try? PayloadFile.read(source) else {
            throw CommandFailure(.noSuchFile, "The payload file \"\(source)\" can't be read.")
        }
        try MistakenPayload.refuse(bytes, from: source)
        return bytes
    }
}

/// The values that a shell offers for an option with many possible values.
extension CompletionKind {
    static var templates: CompletionKind { .list(ReadyPayload.all.map(\.name) + ["list"]) }
}

/// Refuses a file that is not a payload: a key or a list of device tokens. A key must never be sent.
enum MistakenPayload {
    /// - Parameters:
    ///   - bytes: The content.
    ///   - source: The path.
    /// - Throws: ``CommandFailure`` with 65.
    static func refuse(_ bytes: [UInt8], from source: String) throws {
        guard let problem = problem(bytes, source) else { return }
        throw CommandFailure(.invalidInput, "\"\(source.printable)\" is \(problem)")
    }

    private static func problem(_ bytes: [UInt8], _ source: String) -> String? {
        if isKeyOrCertificate(bytes) {
            return "a key or a certificate, not a payload. Give it with --key or --cert."
        }
        let line = FileText.firstLine(bytes)
        guard line.count <= longestLine else { return nil }
        let text = String(decoding: line, as: UTF8.self)
        let isToken = text.utf8.count >= 32 && (try? DeviceToken(text)) != nil
        let names = text.lowercased().split(whereSeparator: { ",;\t".contains($0) })
        let isHeader = names.count > 1 && names.contains { $0.filter { $0.isLetter }.hasSuffix("token") }
        guard !text.hasPrefix("{"), isToken || isHeader else { return nil }
        return """
            a list of device tokens, not a payload. To send a campaign: pushsend batch \(ShellWord.quoted(source)) --payload FILE.
            """
    }

    /// Whether a file is a key or a certificate, in any form. A payload can contain the text of a certificate.
    static func isKeyOrCertificate(_ bytes: [UInt8]) -> Bool {
        let first = FileText.utf8(bytes).first { !$0.isJSONSpace }
        return first != UInt8(ascii: "{") && CredentialFileKind(bytes) != nil
    }

    /// The maximum length of the first line, in bytes. A file with a longer one is not checked for mistakes.
    private static let longestLine = 2000
}
