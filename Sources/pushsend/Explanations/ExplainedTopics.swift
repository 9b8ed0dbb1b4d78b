extension Explanation {
    /// Common problems.
    static let topics: [Explanation] = [nothingArrived, environment, mismatch, providerToken, certificate]

    private static let nothingArrived = Explanation(
        word: "nothing-arrived",
        kind: .topic,
        title: "nothing-arrived: Apple took the push, and nothing shows on the phone",
        meaning: """
            "accepted" says that Apple took it, and nothing of the phone. First open the app, take the token that it \
            prints now, lock the phone, send -m Hello -s default and nothing else, and look into Notification Center. \
            Then, the likely causes first:
            """,
        steps: list(
            """
            The app is open: nothing shows unless its delegate's willPresent asks for it. Leave the app, send again.
            It may not: Settings, Notifications, the app. Off or never asked: nothing, and Apple still answers 200. \
            Provisional: only in Notification Center. Hidden apps and Screen Time count too.
            Focus, a scheduled summary or the level "passive" keep it quiet. Switch Focus and summary off.
            The token is of another installation, device or app. A new install, a restore, and TestFlight over Xcode \
            make a new one; Apple takes the old one for a while.
            Another build or bundle id is on the phone than you think. Run from Xcode is sandbox; TestFlight, ad hoc \
            and App Store are production.
            There is nothing to show: content-available alone, a badge or sound alone, an alert outside aps, a push \
            type that does not fit. See --dry-run.
            A silent push is a wish. Type background, priority 5, two or three an hour; in the app the background \
            mode; Background App Refresh on, Low Power Mode off, the app not swiped away. A daily budget, not from \
            Xcode.
            --expires once: Apple tries once. A phone that was away never gets it.
            The collapse id replaced an earlier one. For a phone that is away Apple keeps one push per app.
            Priority 5 and 1 wait, longer in Low Power Mode. Send with 10.
            The service extension took over 30 seconds or too much memory: the original shows. One with the filtering \
            entitlement may hide it. Send without --mutable-content.
            An Apple Watch on the wrist took it, while the phone was locked.
            The network of the phone: it needs TCP 5223, or 443, to Apple; VPNs, filters and company firewalls block \
            it. Switch Wi-Fi and VPN off, send by mobile data.
            A restored or new phone: open the app once. Flight mode on and off renews the connection.
            A simulator: iOS 16 or newer, a Mac with Apple silicon or T2, sandbox.
            A Live Activity: its state must decode in the app, its timestamp be newer, its token be the activity's \
            own.
            Ask Apple: https://icloud.developer.apple.com/dashboard/notifications finds a sandbox push by its \
            apns-unique-id, for seven days. Of its words, "discarded, disabled" is 2, "token unregistered" 4, \
            "expired" 8, "stored, power" 7 or 10, "stored, offline" 13; "delivered" is 1 to 3, 6, 11 or 12.
            Ask the phone: on a Mac, Console, process:apsd; on Linux, idevicesyslog -p apsd. Nothing there: it did \
            not come as far as the phone.
            """
        ),
        isNumbered: true,
        page: "docs/nothing-arrived.md",
        aliases: ["nothing", "not-arrived", "not-delivered", "did-not-arrive", "no-notification"]
    )

    private static let environment = Explanation(
        word: "environment",
        kind: .topic,
        title: "environment: sandbox or production",
        meaning: """
            Apple runs two services that know nothing of each other. Which one a device token belongs to depends on \
            how the app came to the phone: run from Xcode or in a simulator is sandbox; TestFlight, ad hoc, \
            enterprise and the App Store are production.

            The signing decides, by the entitlement aps-environment, and not Debug or Release. Nothing in a token \
            tells. In the wrong environment it gets BadDeviceToken.
            """,
        fault: "The sender's setup, when they do not fit.",
        steps: list(
            """
            -e sandbox or -e production, or PUSHSEND_ENVIRONMENT. With a key the default of send is the sandbox.
            A certificate for one environment decides by itself; an -e that contradicts it is refused.
            A key may be made for one environment only: BadEnvironmentKeyInToken says so.
            Store the environment beside each token.
            """
        ),
        page: "docs/device-tokens.md",
        aliases: ["sandbox", "production", "development", "aps-environment"]
    )

    private static let mismatch = Explanation(
        word: "mismatch",
        kind: .topic,
        title: "mismatch: a sequence of pushes was stopped, its tokens do not fit the setup",
        meaning: """
            Almost all of the last answers were BadDeviceToken, DeviceTokenNotForTopic or TopicDisallowed. One wrong \
            word in the setup does that to every token, however good it is. So nothing more was read, and what was \
            still queued was not sent, with this word as its cause.
            """,
        fault: "The sender's setup. The tokens may all be good.",
        again: "After the setup was corrected: what was rejected, what was not sent, and the rest.",
        steps: list(
            """
            Delete no token for it. Only a 410 says that a token is dead.
            BadDeviceToken: the other environment, "pushsend explain environment".
            DeviceTokenNotForTopic: the tokens are of another app than the topic, or of another kind of push.
            TopicDisallowed: the key or the certificate may not send to the topic.
            """
        ),
        page: "docs/outcomes-and-retries.md"
    )

    private static let providerToken = Explanation(
        word: "provider-token",
        kind: .topic,
        title: "provider-token: the signed note in each request",
        meaning: """
            With a key (.p8), each request carries a JSON Web Token, ES256: the key id, the team id and the time of \
            issue. It proves that you may push for the team. pushsend makes it, keeps it and replaces it.

            Apple refuses one that is older than an hour (ExpiredProviderToken), and a connection whose token changes \
            more often than every 20 minutes (TooManyProviderTokenUpdates).
            """,
        steps: list(
            """
            "pushsend jwt" prints the one in force, for curl. It is good for at least 20 minutes, and a secret.
            "pushsend inspect TOKEN" shows what is in one.
            InvalidProviderToken: compare key file, key id and team id; the two ids are easily swapped.
            ExpiredProviderToken: look at the clock of this machine.
            """
        ),
        page: "docs/provider-tokens.md",
        aliases: ["jwt", "p8", "key", "authorization", "bearer"]
    )

    private static let certificate = Explanation(
        word: "certificate",
        kind: .topic,
        title: "certificate: a .p12 or PEM instead of a key",
        meaning: """
            A push certificate is shown when the connection is opened. It is for one app, lasts about a year, and \
            needs its private key: a .cer from Apple's site alone cannot push. A key (.p8) is simpler, for all apps, \
            and does not expire.
            """,
        fault: "Mostly the export: the private key is missing, or the passphrase is another one.",
        steps: list(
            """
            On the Mac that made the request: Keychain Access, My Certificates, the entry with a private key below \
            it, Export, .p12.
            --p12 FILE, or --cert FILE with --cert-key FILE. The passphrase is asked for; or --passphrase-file, or \
            PUSHSEND_PASSPHRASE. It is never an argument.
            "pushsend inspect FILE" shows kind, topics, environment and expiry. Several in one file: --identity NAME.
            Environment and topic come from it when it says; one for several topics needs --topic.
            Live Activities, location, push to talk, widgets and controls need a key.
            """
        ),
        page: "docs/credentials.md",
        aliases: ["p12", "pfx", "pem", "cer", "cert", "identity", "keychain", "passphrase"]
    )

    /// Splits a text into steps, one per line.
    private static func list(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }
}
