import ArgumentParser

/// Options that can be read without argument-parser. Each type reads the options that its own file declares. A test
/// compares each option with the result of argument-parser for the same words.
protocol PlainOptions: ParsableArguments {
    init(plain words: inout PlainArguments) throws
}

extension PlainOptions {
    /// Creates and validates the options like argument-parser.
    static func checked(_ words: inout PlainArguments) throws -> Self {
        var options = try Self(plain: &words)
        try options.validate()
        return options
    }
}

extension PayloadOptions: PlainOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        message = try words.option("-m", "--message")
        title = try words.option("-t", "--title")
        subtitle = try words.option("--subtitle")
        badge = try words.option("-b", "--badge", read: { Int($0) })
        sound = try words.option("-s", "--sound")
        category = try words.option("-y", "--category")
        threadID = try words.option("--thread-id")
        mutableContent = words.flag("--mutable-content")
        contentAvailable = words.flag("--content-available")
        data = try words.options("-d", "--data")
        jsonData = try words.options("--data-json")
        payload = try words.option("--payload")
        template = try words.option("--template")
        inputChannel = try words.option("--channel")
    }
}

extension ProfileOption: PlainOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        profile = try words.option("--profile")
    }
}

extension SignerOptions: PlainOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        keyFile = try words.option("--key")
        keyID = try words.option("--key-id")
        teamID = try words.option("--team-id")
        mock = words.flag("--mock")
        state = try .checked(&words)
    }
}

extension StateFolderOption: PlainOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        folder = try words.option("--state")
    }
}

extension IdentityOptions: PlainOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        p12 = try words.option("--p12")
        name = try words.option("--identity")
        certificate = try words.option("--cert")
        certificateKey = try words.option("--cert-key")
        passphrase = try .checked(&words)
    }
}

extension PassphraseOptions: PlainOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        file = try words.option("--passphrase-file")
        // Options that are only declared to be refused.
        passphrase = nil
        password = nil
    }
}

extension TargetOptions: PlainOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        environment = try words.option("-e", "--environment", read: EnvironmentArgument.init(argument:))
        endpoint = try words.option("--endpoint", read: EndpointArgument.init(argument:))
        port = try words.option("--port", read: { Int($0) })
        authorities = try words.option("--cacert")
        noALPN = words.flag("--no-alpn")
        proxy = try words.option("--proxy")
    }
}

extension HeaderOptions: PlainOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        topic = try words.option("--topic")
        pushType = try words.option("--push-type")
        priority = try words.option("--priority", read: { Int($0) })
        collapseID = try words.option("--collapse-id")
        apnsID = try words.option("--apns-id")
        expires = try words.option("--expires", read: ExpiresArgument.init(argument:))
    }
}
