import ArgumentParser

extension SendCommand: PlainOptions {
    /// - Throws: Any error if argument-parser must read the words, even if only to report what is wrong with them.
    init(plain words: inout PlainArguments) throws {
        self.init()
        profileOption = try .checked(&words)
        payloadOptions = try .checked(&words)
        signerOptions = try .checked(&words)
        identityOptions = try .checked(&words)
        targetOptions = try .checked(&words)
        headers = try .checked(&words)
        how = try .checked(&words)
        tokens = try words.arguments()
    }
}

extension RunOptions: PlainOptions {
    init(plain words: inout PlainArguments) throws {
        self.init()
        timeout = try words.option("--timeout", read: DurationArgument.init(argument:))
        dryRun = words.flag("--dry-run")
        save = try words.option("--save")
        force = words.flag("--force")
        asCurl = words.flag("--as-curl")
        watch = words.flag("--watch")
        repeats = try words.option("--repeat", read: { Int($0) })
        every = try words.option("--every", read: DurationArgument.init(argument:))
        triesOtherEnvironment = words.flag("--try-other-environment")
        yes = words.flag("--yes")
        noLint = words.flag("--no-lint")
        json = words.flag("--json")
        verbose = words.flag("-v", "--verbose")
        traceFrames = words.flag("--trace-frames")
    }
}
