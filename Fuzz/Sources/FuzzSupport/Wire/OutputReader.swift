/// Reads the output of a session frame by frame, and checks it against RFC 9113, whatever the session has received.
package struct OutputReader {
    private let isClient: Bool
    private var hasPreface: Bool
    private var newestStream: UInt32 = 0
    /// HEADERS that wait for their CONTINUATION.
    private var unfinished: Frame?

    package init(isClient: Bool) {
        self.isClient = isClient
        hasPreface = !isClient
    }

    /// Takes the next frame.
    ///
    /// - Returns: A HEADERS frame once its fields are complete, all of them in its payload.
    package mutating func read(_ bytes: UnsafeRawBufferPointer) -> Frame? {
        guard hasPreface else {
            claim(bytes.elementsEqual(Frame.preface), "the first bytes are not the preface")
            hasPreface = true
            return nil
        }
        let frame = Frame(bytes)
        if var whole = unfinished {
            claim(frame.isOf(.continuation) && frame.streamID == whole.streamID, "a frame interrupts HEADERS")
            whole.payload += frame.payload
            return end(whole, frame)
        }
        claim(!frame.isOf(.continuation), "a CONTINUATION without HEADERS")
        guard frame.isOf(.headers) else { return nil }
        if isClient {
            claim(frame.streamID % 2 == 1 && frame.streamID > newestStream, "a stream is opened out of order")
            newestStream = frame.streamID
        }
        claim(frame.flags & ~(Frame.endStream | Frame.endHeaders) == 0, "HEADERS have padding or a priority")
        return end(frame, frame)
    }

    private mutating func end(_ whole: Frame, _ last: Frame) -> Frame? {
        let isComplete = last.flags & Frame.endHeaders != 0
        unfinished = isComplete ? nil : whole
        return isComplete ? whole : nil
    }
}
