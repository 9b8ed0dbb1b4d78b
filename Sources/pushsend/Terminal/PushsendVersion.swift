enum PushsendVersion {
    static let text = "0.9.0"
}
