internal import NIOCore
internal import PushWire

/// A fault that is under way on a connection.
///
/// It belongs to the connection's event loop.
final class FaultRun {
    let mark: FaultMark
    let moment: FaultMoment
    /// The request that it acts on, with the id of its stream.
    let request: (asked: MockRequest, streamID: Int32)?
    /// What would be answered, where the request was judged before its time.
    var verdict: Verdict?
    /// What the mock would do next has been done, or will never be.
    var isDecided = false
    /// How much it has repeated since others had their turn.
    var stepsInTurn = 0
    /// Ends a wait.
    var timer: Scheduled<Void>?
    /// The whole of a request that this interrupted at its headers, and its number.
    var whole: (received: HTTP2Request, number: Int)?

    private var course: FaultCourse

    init(_ order: FaultOrder, at moment: FaultMoment, request: (asked: MockRequest, streamID: Int32)? = nil) {
        mark = order.mark
        self.moment = moment
        self.request = request
        course = FaultCourse(order)
    }

    /// It does something again and again: it may have to wait until what it has sent is on its way.
    var isRepeating: Bool { course.isRepeating }

    func nextStep() -> FaultStep? { course.nextStep() }

    /// What it is known by on its connection: streams have odd ids.
    var key: Int32 {
        switch moment {
        case .request, .requestHeaders: request?.streamID ?? 0
        case .connectionAccepted: -1
        case .connectionEstablished: -2
        }
    }
}
