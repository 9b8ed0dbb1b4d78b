extension Duration {
    /// The seconds as text for messages: `10`, `0.5`.
    package var seconds: String {
        let value = Double(clampedNanoseconds) / 1e9
        return value == value.rounded() ? String(Int64(value)) : String(value)
    }
}
