package import PushProvider

extension PushConfiguration {
    /// So many connections, neither more nor fewer.
    package var connections: Int {
        get { maximumConnections }
        set { (minimumConnections, maximumConnections) = (newValue, newValue) }
    }
}
