import APNSVocabulary
import PushJSON

/// One run of a service extension: how it changed a notification.
struct ExtensionRun {
    private(set) var content: PushContent
    private(set) var attachment: PhoneNotificationCard.Attachment?
    /// The address in the payload that no file is attached for.
    private(set) var attachmentAddress: String?
    /// What it did and what went wrong, in short sentences.
    private(set) var notes: [String] = []
    /// Why there is no attachment although the extension attaches files; `nil` if there is one.
    private(set) var attachmentProblem: String?
    private(set) var isRewritten = false
    private(set) var duration: Duration
    /// Whether it finished in time. If not, the original is shown.
    private(set) var handedOver: Bool

    private let strings: [String: String]
    /// Whether the extension has one purpose only. Then a payload without its key is worth a note.
    private let hasOneStep: Bool

    /// Runs an extension.
    ///
    /// - Parameters:
    ///   - service: The extension.
    ///   - content: The notification as it was sent.
    ///   - strings: The texts of the app.
    ///   - opener: Opens sealed payloads.
    init(
        _ service: PhoneServiceExtension, on content: PushContent, strings: [String: String],
        opener: PhoneEnvelopeOpener?
    ) {
        self.content = content
        self.strings = strings
        let steps = [service.opening != nil, service.rewriting != nil, service.attachment != nil]
        hasOneStep = steps.count(where: \.self) == 1
        handedOver = service.handsOver && service.duration < PhoneServiceExtension.timeLimit
        duration = handedOver ? service.duration : PhoneServiceExtension.timeLimit
        guard handedOver else {
            notes = ["It didn't finish within 30 s, so the original is shown"]
            return
        }
        if let opening = service.opening { open(opening, opener) }
        if let rewriting = service.rewriting { rewrite(rewriting) }
        if let attachment = service.attachment { attach(attachment) }
    }

    private mutating func open(_ opening: PhoneServiceExtension.Opening, _ opener: PhoneEnvelopeOpener?) {
        guard let envelope = content.text(of: opening.key) else {
            noteMissing(opening.key)
            return
        }
        if let problem = opening.problem {
            notes.append("The payload wasn't decrypted: \(problem)")
            return
        }
        guard let opener else {
            notes.append("The payload wasn't decrypted: this mock has no key")
            return
        }
        do throws(PhoneEnvelopeOpener.Failure) {
            let opened = try opener.open(envelope, with: opening.keyFile)
            guard let inside = PushContent(opened, strings: strings) else {
                notes.append("The decrypted content isn't a payload")
                return
            }
            content.apply(inside)
            isRewritten = true
            notes.append("Decrypted the content of \(opening.key)")
        } catch {
            notes.append("The payload can't be decrypted: \(error.text)")
        }
    }

    private mutating func rewrite(_ rewriting: PhoneServiceExtension.Rewriting) {
        guard let value = content.text(of: rewriting.key) else {
            noteMissing(rewriting.key)
            return
        }
        guard let texts = rewriting.entries[value] else {
            notes.append("No entry for \(rewriting.key) \(value.debugDescription)")
            return
        }
        content.title = texts.title ?? content.title
        content.subtitle = texts.subtitle ?? content.subtitle
        content.body = texts.body ?? content.body
        content.category = texts.category ?? content.category
        isRewritten = true
        notes.append("Rewritten by \(rewriting.key)")
    }

    private mutating func attach(_ step: PhoneServiceExtension.Attachment) {
        guard let address = content.text(of: step.key) else {
            if noteMissing(step.key, files: step.files) { attachmentProblem = notes.last }
            return
        }
        guard let file = step.files[address] else {
            attachmentAddress = address
            return refuse("\(step.key): no file for \(address.debugDescription) in the profile")
        }
        if let problem = file.problem { return refuse("\(file.name): \(problem)") }
        guard let content = file.content else { return refuse("\(file.name): there is no such file") }
        guard let type = PhoneAttachmentType.type(of: content.beginning) else {
            return refuse("\(file.name) isn't an image, a sound or a movie of a type that can be attached")
        }
        guard content.byteCount <= type.kind.maximumBytes else {
            return refuse(
                """
                \(file.name) has \(Self.size(content.byteCount)), and \(type.kind.withArticle) \
                has at most \(type.kind.maximumBytes >> 20) MB
                """)
        }
        attachment = PhoneNotificationCard.Attachment(file: file, type: type)
        notes.append("\(step.key) → \(file.name), \(type.name), \(Self.size(content.byteCount))")
    }

    private mutating func refuse(_ problem: String) {
        attachmentProblem = problem
        notes.append(problem)
    }

    /// Notes that the payload has no such key, and which one it has instead.
    ///
    /// - Returns: Whether that is worth a note. An extension with several purposes does not need all keys in each payload.
    @discardableResult
    private mutating func noteMissing(_ key: String, files: [String: PhoneAttachmentFile] = [:]) -> Bool {
        let names = content.custom.map(\.name)
        let other =
            NearestName.nearest(to: key, of: names)
            ?? content.custom.first { member in member.value.string.map { files[$0] != nil } ?? false }?.name
        if let other {
            notes.append("The extension reads “\(key)”, but the payload has “\(other)”")
        } else if hasOneStep {
            notes.append("The payload has no key “\(key)”")
        }
        return other != nil || hasOneStep
    }

    static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1000: "\(bytes) bytes"
        case ..<1_000_000: "\((bytes + 512) / 1024) KB"
        default: "\(Double((bytes * 10 + (1 << 19)) >> 20) / 10) MB"
        }
    }
}
