internal import PushProvider

/// The shapes of payloads in which the lint has found nothing, by the push type that it took them for.
///
/// Besides the payload and its size, the push type is all that rules about payloads look at.
struct CleanShapes {
    private struct Key: Hashable {
        var shape: ObjectIdentifier
        /// `nil` when nothing tells what kind of notification it is.
        var pushType: PushType?
    }

    /// How many are kept. When there are more, all are forgotten and found again.
    static let most = 2 * OutlinedPayloads.most

    /// An identity is that of one shape only as long as the shape exists, so the shapes are kept.
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
