internal import NIOCore
internal import PushWire

/// A fault that is running on a connection.
///
/// Use it only on the connection's event loop.
final class FaultRun {
    let mark: MockFaultMark
    let moment: MockFaultMoment
    /// The request that it acts on, with the id of its stream.
    let request: (asked: MockRequest, streamID: Int32)?
    /// The verdict, if a step has checked the request before its answer.
    var verdict: MockVerdict?
    /// Whether the request has been answered, or will not be.
    var isDecided = false
    /// The number of repeated steps since the last pause.
    var stepsInTurn = 0
    /// The timer of a wait.
    var timer: Scheduled<Void>?
    /// The complete request and its number, for a run that began at the headers.
    var whole: (received: HTTP2Request, number: Int)?

    /// The mock that the fault belongs to.
    let state: MockState

    private var course: FaultCourse

    init(
        _ order: FaultOrder, of state: MockState, at moment: MockFaultMoment,
        request: (asked: MockRequest, streamID: Int32)? = nil
    ) {
        self.state = state
        mark = order.mark
        self.moment = moment
        self.request = request
        course = FaultCourse(order)
    }

    /// Whether a step is being repeated. The run then pauses until its bytes have been sent.
    var isRepeating: Bool { course.isRepeating }

    func nextStep() -> MockFaultStep? { course.nextStep() }

    /// The key of the run on its connection: a stream id, or a negative number for moments of the connection.
    var key: Int32 {
        switch moment {
        case .request, .requestHeaders: request?.streamID ?? 0
        case .connectionAccepted: -1
        case .connectionEstablished: -2
        }
    }
}
