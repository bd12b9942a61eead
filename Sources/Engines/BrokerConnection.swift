import Publishing

/// A connection to a broker; libmosquitto's, or that of a test.
protocol BrokerConnection: AnyObject {
    /// The reason why the broker's certificate is refused; nil = the certificate is accepted, or the broker
    /// has none.
    var certificateFault: String? { get }
    /// Connects; nil = success, else the reason.
    func connect(
        _ address: SinkAddress, password: String?, caFile: String?
    ) throws(EngineError) -> String?
    /// Asks for the messages of a topic.
    func subscribe(_ topic: String) -> Int32
    /// Works for at most `timeout`, or until `stop` is raised; nil = the connection holds, else why not.
    func drive(_ descriptor: Int32, _ timeout: Duration) -> String?
    /// Returns the events since the last call.
    func takeEvents() -> [MQTTClient.Event]
    /// Sends a message and returns its number and libmosquitto's result.
    func publish(
        _ topic: String, _ payload: ArraySlice<UInt8>, quality: Int32, isRetained: Bool
    ) -> (id: Int32, result: Int32)
    /// Disconnects in order.
    func disconnect()
}

extension MQTTClient: BrokerConnection {}
