#if PushService
    internal import ArgumentParser

    @main
    struct Pushserve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pushserve", abstract: "A push service: a durable queue in front of APNs.")
    }
#else
    @main
    struct Pushserve {
        static func main() {
            print("pushserve was built without the trait PushService.")
        }
    }
#endif
