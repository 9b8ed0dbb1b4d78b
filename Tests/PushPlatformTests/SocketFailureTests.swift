import PushPlatform
import Testing

@Suite struct SocketFailureTests {
    @Test(arguments: [
        (ECONNREFUSED, "refused the connection: nothing listens there, check host and port"),
        (ECONNRESET, "reset the connection"), (EPIPE, "closed the connection"), (ETIMEDOUT, "stopped answering"),
        (ENETUNREACH, "can't be reached from here"), (EACCES, "can't be reached: Permission denied"),
    ])
    func `an error of a socket has words without the names of system calls`(code: Int32, words: String) {
        #expect(SocketFailure.predicate(code) == words)
    }
}
