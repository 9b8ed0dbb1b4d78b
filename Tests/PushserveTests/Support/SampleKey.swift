import PushWire

/// A provider key that nobody else has, made once for the process.
enum SampleKey {
    static let pem: [UInt8] = (try? Array(SigningKey.generate().pem())) ?? []
}
