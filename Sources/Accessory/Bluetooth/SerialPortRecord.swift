import OBDCore
import SystemIO

/// A service record that shows other machines which RFCOMM channel has a serial port.
///
/// The record exists as long as this value: BlueZ removes the records of a client that leaves the bus.
public struct SerialPortRecord: ~Copyable {
    /// Why BlueZ refused the record.
    public enum Fault: Error, Hashable, Sendable {
        /// BlueZ is not running.
        case unavailable
        /// BlueZ refused the record; the name of the error.
        case refused(String)
    }

    private let bus: SystemBus
    private static let patience = Duration.seconds(5)

    /// Makes BlueZ announce the Serial Port Profile on `channel`; needs no privilege.
    ///
    /// - Parameters:
    ///   - channel: the RFCOMM channel, 1…30.
    /// - name: the name of the service.
    public init(channel: UInt8, name: String) throws(Fault) {
        let deadline = SystemClock.now() + Self.patience
        do throws(SystemBus.Fault) {
            var bus = try SystemBus(until: deadline, cancelledBy: nil)
            _ = try bus.call(
                "org.bluez", "/org/bluez", "org.bluez.ProfileManager1", "RegisterProfile",
                Self.arguments(channel: channel, name: name), until: deadline)
            self.bus = bus
        } catch {
            guard case .refused(let words) = error else { throw .unavailable }
            throw .refused(words)
        }
    }

    /// The arguments that register the record.
    ///
    /// The profile has its own UUID: under that of the Serial Port Profile, the daemon would listen on the
    /// channel itself.
    static func arguments(channel: UInt8, name: String) -> [DBusMessage.Argument] {
        [
            .path("/org/obdscan/serial"), .text("b1f0a6a2-5f0c-4a57-9b6a-0bd5ca000001"),
            .properties(["Role": "server", "ServiceRecord": record(channel: channel, name: name)]),
        ]
    }

    /// The record (Serial Port Profile 1.2, table 6.1).
    ///
    /// The record has the class, the protocols L2CAP and RFCOMM with the channel, the public browse group,
    /// the profile's version, and the name.
    static func record(channel: UInt8, name: String) -> String {
        let plain = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || " .-".contains($0)) }
        return """
            <?xml version="1.0" encoding="UTF-8" ?>
            <record>
            <attribute id="0x0001"><sequence><uuid value="0x1101"/></sequence></attribute>
            <attribute id="0x0004"><sequence>
            <sequence><uuid value="0x0100"/></sequence>
            <sequence><uuid value="0x0003"/><uint8 value="0x\(Hex.string([channel]))"/></sequence>
            </sequence></attribute>
            <attribute id="0x0005"><sequence><uuid value="0x1002"/></sequence></attribute>
            <attribute id="0x0009"><sequence><sequence>
            <uuid value="0x1101"/><uint16 value="0x0102"/>
            </sequence></sequence></attribute>
            <attribute id="0x0100"><text value="\(plain)"/></attribute>
            </record>
            """
    }
}
