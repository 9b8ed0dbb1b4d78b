/// The documents that the rules come from.
enum RuleSource {
    static let json = "RFC 8259, The JavaScript Object Notation (JSON) Data Interchange Format"
    static let sending = "Apple, Sending notification requests to APNs"
    static let payload = "Apple, Generating a remote notification"
    static let background = "Apple, Pushing background updates to your App"
    static let responses = "Apple, Handling notification responses from APNs"
    static let liveActivities = "Apple, Starting and updating Live Activities with ActivityKit push notifications"
    static let activityData = "Apple, Displaying live data with Live Activities"
    static let widgets = "Apple, Updating widgets with WidgetKit push notifications"
    static let controls = "Apple, Updating controls locally and remotely"
    static let metrics = "Apple, Viewing the status of push notifications using Metrics and APNs"
    static let broadcast = "Apple, Sending broadcast push notification requests"
    static let reference = "Apple, Payload Key Reference (archived)"
    static let sounds = "Apple, UNNotificationSound"
    static let extensions = "Apple, Modifying content in newly delivered notifications"
    static let seen = "Observed in practice"
}
