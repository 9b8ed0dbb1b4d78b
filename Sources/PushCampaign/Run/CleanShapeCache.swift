internal import PushProvider

/// Caches the payload shapes in which the lint found nothing, by push type.
///
/// Rules about payloads depend only on the payload, its size, and the push type.
struct CleanShapeCache {
    private struct Key: Hashable {
        var shape: ObjectIdentifier
        /// The push type; `nil` if it cannot be determined.
        var pushType: PushType?
    }

    /// The maximum number of shapes. Beyond it, all are removed and then found again.
    static let most = 2 * OutlinedPayloads.most

    /// The shapes, kept alive so that their identities stay unique.
    private var shapes: [Key: PayloadShape] = [:]

    func contains(_ payload: PushPayload, _ request: CheckedRequest) -> Bool {
        guard let shape = payload.shape, payload.bytes.count <= APNSLimit.payloadBytes(for: .alert) else {
            return false
        }
        return shapes[Key(shape: ObjectIdentifier(shape), pushType: request.pushType)] != nil
    }

    mutating func insert(_ payload: PushPayload, _ request: CheckedRequest) {
        guard let shape = payload.shape else { return }
        if shapes.count >= Self.most { shapes.removeAll() }
        shapes[Key(shape: ObjectIdentifier(shape), pushType: request.pushType)] = shape
    }
}
