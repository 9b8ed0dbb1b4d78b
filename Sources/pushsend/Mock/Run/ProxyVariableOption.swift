import ArgumentParser

/// Whether the variables of a mock make it the proxy of programs.
struct ProxyVariableOption: ParsableArguments {
    @Flag(
        name: .customLong("https-proxy"),
        help: "Also set HTTPS_PROXY, for senders that can set no host: the mock answers for Apple's hosts.")
    var isOn = false
}
