import CEngines
import Publishing
import SystemIO

/// A connection to an MQTT broker through libmosquitto.
///
/// Use a client only on one thread. The client sends nothing without a connection, because libmosquitto would
/// store the message and send it later in addition to the repeated one.
final class MQTTClient {
    enum Event {
        /// The broker's answer to the connection; 0 = accepted.
        case connected(Int)
        /// The connection ended.
        case disconnected(Int)
        /// A message was acknowledged with 0 or the broker's reason code.
        case published(id: Int32, reason: Int)
        /// A message arrived; a retained one may be old.
        case received(topic: String, payload: [UInt8], isRetained: Bool)
    }

    /// libmosquitto's result for a message that is too large for the broker.
    static let oversize: Int32 = 25

    private var handle: OpaquePointer?
    private(set) var events: [Event] = []

    /// Loads the library; call this function before any thread exists.
    static func open() throws(EngineError) {
        guard eng_mqtt_open() == 0 else {
            throw .missingLibrary("MQTT", packages: "libmosquitto1")
        }
    }

    /// A client whose last will announces that it is gone.
    init(id: String, version: Int32, will topic: String) throws(EngineError) {
        let events = eng_mqtt_events(
            context: Unmanaged.passUnretained(self).toOpaque(),
            connected: { MQTTClient.of($0)?.events.append(.connected(Int($1))) },
            disconnected: { MQTTClient.of($0)?.events.append(.disconnected(Int($1))) },
            published: {
                MQTTClient.of($0)?.events.append(.published(id: $1, reason: Int($2)))
            },
            received: { context, topic, payload, size, isRetained in
                // Nothing that is asked for here is longer than a word.
                guard let topic, size <= 64 else { return }
                let bytes = UnsafeRawBufferPointer(start: payload, count: size)
                MQTTClient.of(context)?.events.append(
                    .received(
                        topic: String(cString: topic), payload: Array(bytes),
                        isRetained: isRetained != 0))
            })
        handle = eng_mqtt_new(id, version, topic, "offline", events)
        if handle == nil { throw .noMemory }
    }

    deinit { eng_mqtt_free(handle) }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MQTTClient? {
        context.map { Unmanaged<MQTTClient>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Connects; nil = success, else the reason.
    func connect(
        _ address: SinkAddress, password: String?, caFile: String?
    ) throws(EngineError) -> String? {
        if let user = address.user, eng_mqtt_login(handle, user, password) != 0 {
            throw .noMemory
        }
        if address.kind.isEncrypted, eng_mqtt_encrypt(handle, caFile) != 0 {
            throw .badCertificateFile(caFile ?? "/etc/ssl/certs")
        }
        let result = eng_mqtt_connect(handle, address.host, Int32(address.usedPort), 30)
        return result == 0 ? nil : certificateFault ?? String(cString: eng_mqtt_words(result))
    }

    /// The reason why the broker's certificate is refused; nil = the certificate is accepted, or the broker
    /// has none.
    var certificateFault: String? {
        switch eng_mqtt_tls_fault(handle) {
        case 1: "the broker's certificate is not for this host name"
        case 2: "the broker's certificate is not trusted"
        default: nil
        }
    }

    /// Asks for the messages of a topic.
    func subscribe(_ topic: String) -> Int32 { eng_mqtt_subscribe(handle, topic) }

    /// Works for at most `timeout`, or until `stop` is raised; nil = the connection holds, else why not.
    func drive(_ descriptor: Int32, _ timeout: Duration) -> String? {
        let milliseconds = min(60_000, max(0, timeout.nanoseconds / 1_000_000))
        let result = eng_mqtt_drive(handle, descriptor, Int32(milliseconds))
        return result == 0 ? nil : String(cString: eng_mqtt_words(result))
    }

    /// Returns the events since the last call.
    func takeEvents() -> [Event] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// Sends a message and returns its number and libmosquitto's result.
    func publish(
        _ topic: String, _ payload: ArraySlice<UInt8>, quality: Int32, isRetained: Bool
    ) -> (id: Int32, result: Int32) {
        var id: Int32 = 0
        let result = payload.withUnsafeBytes {
            eng_mqtt_publish(
                handle, &id, topic, $0.baseAddress, $0.count, quality, isRetained ? 1 : 0)
        }
        return (id, result)
    }

    /// Disconnects in order.
    func disconnect() { eng_mqtt_disconnect(handle) }

    /// The message for a result of libmosquitto.
    static func resultWords(_ result: Int32) -> String {
        String(cString: eng_mqtt_words(result))
    }

    /// The message for a broker's reason code.
    static func words(_ reason: Int) -> String {
        String(cString: eng_mqtt_reason(Int32(clamping: reason)))
    }
}
