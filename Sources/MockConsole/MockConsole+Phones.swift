import MockAPNs
import PushJSON
import PushPlatform
public import VirtualPhones

extension MockConsole {
    /// The phones: what users would see of the pushes that arrived at the mock.
    ///
    ///     let record = await console.phones.record(of: 1)
    ///     print(record?.outcome.text ?? "It has not arrived.")
    public var phones: ConsolePhones { ConsolePhones(feed: api.namespaces.main.phones) }

    /// The phones of a namespace; `nil` if there is no such namespace.
    public func phones(in namespace: String) -> ConsolePhones? {
        api.namespaces[namespace].map { ConsolePhones(feed: $0.phones) }
    }
}

/// The phones of a mock. Each asynchronous method first waits until the phones have processed all pushes that have arrived.
public struct ConsolePhones: Sendable {
    let feed: PhoneFeed

    // MARK: Profiles

    /// Replaces the phones by those of a file. Phones whose id stays keep their screens.
    ///
    /// - Parameters:
    ///   - text: One or several profiles, in YAML or JSON.
    ///   - folder: The folder that may contain attachments and keys. `nil` if no files may be read.
    /// - Throws: ``MockPhoneFileError``, with line and column; the phones stay as they are.
    public func load(_ text: String, folder: String? = nil) throws(MockPhoneFileError) {
        try load(Array(text.utf8), folder: folder)
    }

    /// Replaces the phones by those of a file. Phones whose id stays keep their screens.
    ///
    /// - Parameters:
    ///   - text: The content of the file, in YAML or JSON.
    ///   - folder: The folder that may contain attachments and keys. `nil` if no files may be read.
    /// - Throws: ``MockPhoneFileError``, with line and column; the phones stay as they are.
    public func load(_ text: [UInt8], folder: String?) throws(MockPhoneFileError) {
        let profiles: [PhoneProfile]
        do {
            profiles = try PhoneProfile.list(try YAMLReader.read(text))
        } catch {
            let mistake = MockPhoneFileError(error)
            let prefix = mistake.line.map { "Line \($0), column \(mistake.column ?? 1): " } ?? ""
            feed.note(profileError: prefix + mistake.description)
            throw mistake
        }
        feed.replace(with: profiles, files: PhoneFiles(folder: folder))
    }

    /// Adds a phone, or replaces its profile. Its attachments must contain their bytes.
    ///
    /// - Returns: Whether there is room for it: there are at most 50.
    @discardableResult
    public func put(_ profile: PhoneProfile) async -> Bool {
        await feed.caughtUp()
        return feed.put(profile) != nil
    }

    // MARK: What they show

    /// The ids of the phones.
    public var ids: [String] { feed.readNow { phones, _ in phones.ids } }

    /// The switches and the apps of a phone; `nil` if there is none with this id.
    public func phone(_ id: String = "phone") async -> PhoneState? { await feed.read { phones, _ in phones.phone(id) } }

    /// What a phone shows; `nil` if there is none with this id.
    public func screen(of id: String = "phone") async -> PhoneScreen? { await feed.read { $0.screen(of: id, at: $1) } }

    /// The outcome of the push with this number in the log; `nil` if it has not arrived, or is too old.
    public func record(of push: Int) async -> PushRecord? { await feed.read { phones, _ in phones.record(of: push) } }

    // MARK: What a user does

    /// Performs an action.
    ///
    /// - Throws: `PhoneActionError`; nothing has changed then.
    public func perform(_ action: PhoneAction, on id: String = "phone") async throws(PhoneActionError) {
        await feed.caughtUp()
        try feed.change { (phones: inout Phones, now) throws(PhoneActionError) in
            try phones.perform(action, on: id, at: now)
        }
    }

    /// Changes the switches of a phone: online, muted, Focus, locked, foreground.
    ///
    /// - Returns: The phone; `nil` if there is none with this id.
    @discardableResult
    public func flip(
        _ id: String = "phone", _ change: @Sendable (inout PhoneSwitches) -> Void
    ) async -> PhoneState? {
        await feed.caughtUp()
        return feed.change { $0.flip(id, at: $1, change) }
    }

    /// Changes an app: permission, what it presents, whether it runs.
    ///
    /// - Returns: The phone; `nil` if there is no such phone or app.
    @discardableResult
    public func change(_ topic: String, on id: String = "phone", _ change: Phones.AppChange) async -> PhoneState? {
        await feed.caughtUp()
        return feed.change { $0.change(topic, on: id, at: $1, change) }
    }

    /// Brings the phones back to the state after their start. `POST /v1/reset` does this, too.
    public func reset() { feed.reset() }
}

/// What is wrong in a file of phones.
public struct MockPhoneFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1; `nil` if the mistake has no position.
    public let line: Int?
    /// The column, from 1.
    public let column: Int?
    /// What is wrong and what to do, in sentences, without the position.
    public let description: String

    init(_ error: any Error) {
        switch error {
        case let error as PhoneProfileError: (line, column, description) = (error.line, error.column, error.description)
        case let error as JSONTextError:
            let sentences = [error.message, error.remedy].compactMap(\.self)
            (line, column) = (error.position.line, error.position.column)
            description = sentences.joined(separator: " ")
        default: (line, column, description) = (nil, nil, "The file can't be read.")
        }
    }
}
