import PushCommandLine
import PushDelivery
import Testing

@testable import pushserve

@Suite struct SharedDatabaseTests {
    @Test(arguments: ["postgres://db.example.com/push", "postgresql:///push?host=/run/postgresql"])
    func `with a database on a server, the service is one of several workers`(database: String) throws {
        var configuration = ServiceConfiguration()
        configuration.database = try QueueLocation(database, in: "/")
        let options = configuration.delivery
        #expect(options.isShared && options.version == ProgramVersion.number)
        #expect(options.pollInterval == .seconds(1))
        // Workers on different machines have different names, and so have those on one machine.
        #expect(options.owner != configuration.delivery.owner && options.owner.contains("-pushserve-"))
    }

    @Test func `with a file, it is the only one`() {
        let options = ServiceConfiguration().delivery
        #expect(!options.isShared && options.owner.hasPrefix("pushserve-"))
    }
}
