internal import APNSVocabulary
import PushProvider

extension Explanation {
    static let topics: [Explanation] = [
        nothingArrived, environment, mismatch, providerToken, certificate, pushType,
    ]

    /// One explanation for all push types, found by each of their names.
    private static let pushType = topic(
        "push-type", "the kind of a notification, and the topic that it needs",
        """
        The push type says what the device does with the notification. Most have topics and device tokens of their \
        own. pushsend derives it from topic and payload.

        A push type that isn't listed here may be newer than this program. It is sent with a warning.
        """,
        steps: PushType.known.map { type in
            switch type.topicSuffix {
            case ""?: "\(type): the topic is the bundle id."
            case let suffix?: "\(type): the topic is the bundle id and \(suffix)."
            case nil: "\(type): the topic is that of the MDM certificate."
            }
        },
        page: "docs/pushsend-send.md", aliases: ["apns-push-type"] + PushType.known.map(\.rawValue))

    private static let nothingArrived = topic(
        "nothing-arrived", "Apple accepted the push, but the phone shows nothing",
        """
        "accepted" means that Apple accepted the push. It says nothing about the phone. First open the app, copy the \
        token that it prints now, lock the phone, send only -m Hello -s default, and look into Notification Center. \
        If nothing arrives, check these causes, the most likely first:
        """,
        steps: list(
            """
            The app is open: nothing shows unless willPresent of its delegate returns it. Leave the app and resend it.
            Notifications are off. Check Settings > Notifications > your app. If they are off or were never allowed, \
            nothing shows, but Apple still answers 200. Provisional: only in Notification Center. Also check hidden apps \
            and Screen Time.
            Focus, a scheduled summary or the level "passive" silences it. Turn off Focus and the summary.
            The token is from another installation, device or app. A new installation, a restore, and TestFlight instead \
            of Xcode create a new one. Apple accepts the old one for a while.
            The phone has another build or bundle id than you think. Apps run from Xcode are sandbox; TestFlight, ad hoc \
            and App Store are production.
            There is nothing to show: only content-available, only a badge or sound, an alert outside aps, or a push type \
            that doesn't fit. Check with --dry-run.
            Silent pushes aren't guaranteed. Use type background, priority 5, and two or three per hour. The app needs \
            the background mode, Background App Refresh on, Low Power Mode off, and must not be swiped away. There is a \
            daily budget, except for apps run from Xcode.
            --expires once: Apple tries only once. A phone that was offline never gets it.
            The collapse id replaced an earlier push. For an offline phone, Apple stores one push per app.
            Priority 5 and 1 are delayed, longer in Low Power Mode. Send with 10.
            The service extension took over 30 seconds or too much memory: the original shows. An extension with the \
            filtering entitlement may hide it. Send without --mutable-content.
            An Apple Watch on the wrist showed it, because the phone was locked.
            The network of the phone: it needs TCP 5223 or 443 to Apple. VPNs, filters and company firewalls may block \
            it. Turn off Wi-Fi and VPN, and try mobile data.
            A restored or new phone: open the app once. Turn Airplane Mode on and off to renew the connection.
            A simulator: it needs iOS 16 or newer, a Mac with Apple silicon or T2, and the sandbox.
            A Live Activity: the app must be able to decode its state, its timestamp must be newer, and the token must \
            be the activity's own.
            Ask Apple: https://icloud.developer.apple.com/dashboard/notifications finds a sandbox push by its \
            apns-unique-id, for seven days. "discarded, disabled" means cause 2, "token unregistered" 4, "expired" 8, \
            "stored, power" 7 or 10, "stored, offline" 13; "delivered" 1 to 3, 6, 11 or 12.
            Ask the phone: on a Mac, Console, process:apsd; on Linux, idevicesyslog -p apsd. If nothing appears there, \
            the push didn't reach the phone.
            """
        ),
        isNumbered: true, page: "docs/nothing-arrived.md",
        aliases: ["nothing", "not-arrived", "not-delivered", "did-not-arrive", "no-notification"])

    private static let environment = topic(
        "environment", "sandbox or production",
        """
        Apple runs two separate services. How the app was installed decides which one a device token belongs to: \
        apps run from Xcode or in a simulator use the sandbox; TestFlight, ad hoc, enterprise and the App Store use \
        production.

        The entitlement aps-environment of the signature decides, not Debug or Release. The token doesn't show its \
        environment. In the wrong environment, the answer is BadDeviceToken.
        """,
        fault: "The setup of the sender, if they don't match.",
        steps: list(
            """
            Use -e sandbox, -e production or PUSHSEND_ENVIRONMENT. With a key, the default of send is the sandbox.
            A certificate for one environment selects it. An -e that contradicts it is refused.
            A key can be restricted to one environment. Then the other one answers BadEnvironmentKeyInToken.
            Store the environment with each token.
            """
        ),
        page: "docs/device-tokens.md", aliases: ["sandbox", "production", "development", "aps-environment"])

    private static let mismatch = topic(
        "mismatch", "a sequence of pushes was stopped, because its tokens don't match the setup",
        """
        Almost all of the last answers were BadDeviceToken or DeviceTokenNotForTopic. One mistake in \
        the setup has this effect on every token, even on good ones. So no more pushes were read, and pushes in the \
        queue weren't sent, with the cause mismatch.
        """,
        fault: "The setup of the sender. All tokens may be good.",
        again: "After you correct the setup: the rejected pushes, those not sent, and the rest.",
        steps: list(
            """
            Don't delete any token because of this. Only a 410 means that a token is inactive.
            BadDeviceToken: use the other environment, see "pushsend explain environment".
            DeviceTokenNotForTopic: the tokens are for another app than the topic, or for another kind of push.
            """
        ),
        page: "docs/outcomes-and-retries.md")

    private static let providerToken = topic(
        "provider-token", "the signed token in each request",
        """
        With a key (.p8), each request contains a JSON Web Token (ES256) with the key id, the team id and the time of \
        issue. It proves that you may send for the team. pushsend creates, keeps and replaces it.

        Apple rejects a token that is older than an hour (ExpiredProviderToken), and a connection whose token changes \
        more often than every 20 minutes (TooManyProviderTokenUpdates).
        """,
        steps: list(
            """
            "pushsend jwt" prints the current one, for curl. It is valid for at least 20 minutes, and it is a secret.
            "pushsend inspect TOKEN" shows what is in one.
            InvalidProviderToken: compare key file, key id and team id. The two ids are easily swapped.
            ExpiredProviderToken, or InvalidProviderToken with the right ids: check the clock of this machine.
            """
        ),
        page: "docs/credentials.md", aliases: ["jwt", "p8", "key", "authorization", "bearer"])

    private static let certificate = topic(
        "certificate", "a .p12 or PEM instead of a key",
        """
        The sender presents a push certificate when it opens the connection. It is for one app, is valid for about a \
        year, and needs its private key: a .cer from Apple's site alone isn't enough. A key (.p8) is simpler: it is \
        for all apps and doesn't expire.
        """,
        fault: "Usually the export: the private key is missing, or the passphrase is wrong.",
        steps: list(
            """
            On the Mac that created the request: Keychain Access > My Certificates > the entry with a private key below \
            it > Export > .p12.
            Give --p12 FILE, or --cert FILE with --cert-key FILE. pushsend asks for the passphrase, or reads it from \
            --passphrase-file or PUSHSEND_PASSPHRASE. It is never an argument.
            "pushsend inspect FILE" shows kind, topics, environment and expiry. If a file has several: --identity NAME.
            The environment and the topic come from the certificate if it names them. If it has several topics: --topic.
            Live Activities, location, push to talk, widgets and controls need a key.
            """
        ),
        page: "docs/credentials.md",
        aliases: ["p12", "pfx", "pem", "cer", "cert", "identity", "keychain", "passphrase"])

    /// Splits a text into steps, one per line.
    private static func list(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }
}
