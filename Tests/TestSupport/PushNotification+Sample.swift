package import PushProvider

extension DeviceToken {
    package static let sampleHex = "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad"
}

extension PushNotification {
    /// A good notification, which each test spoils in its own way.
    package static func sample(_ spoil: (inout PushNotification) -> Void = { _ in }) throws -> PushNotification {
        var notification = try PushNotification(
            to: DeviceToken(DeviceToken.sampleHex), topic: "com.example.app", payload: .alert(body: "Hello"))
        spoil(&notification)
        return notification
    }
}
