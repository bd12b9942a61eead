/// Answers the questions that BlueZ asks while a device is being paired (BlueZ, doc/org.bluez.Agent.rst).
///
/// The agent answers only for the device that the user named.
struct PairingAgent: Hashable, Sendable {
    /// The agent's object path on the bus.
    static let path = "/org/obdscan/agent"
    /// The agent can enter a PIN and confirm one.
    static let capability = "KeyboardDisplay"
    private static let interface = "org.bluez.Agent1"
    private static let rejected = "org.bluez.Error.Rejected"

    /// The object path of the device that is being paired.
    var device: String
    /// The PIN to return; empty if the user gave no PIN.
    var pin: String

    /// The D-Bus error name if pairing needs a PIN and the user gave none.
    static let noPIN = "org.obdscan.Error.NoPIN"

    /// Whether `call` asks for a PIN.
    static func isAboutPIN(_ call: DBusMessage) -> Bool {
        call.path == path && (call.member == "RequestPinCode" || call.member == "RequestPasskey")
    }

    /// The answer to a call; nil if the call is not for the agent.
    func answer(to call: DBusMessage, serial: UInt32) -> [UInt8]? {
        guard call.path == Self.path, call.interface == nil || call.interface == Self.interface
        else { return nil }
        func reply(_ arguments: [DBusMessage.Argument] = []) -> [UInt8] {
            // The first argument of every question is the device.
            guard call.body.first?.text == device else {
                return DBusMessage.refusal(of: call, serial: serial, Self.rejected)
            }
            return DBusMessage.reply(to: call, serial: serial, arguments)
        }
        switch call.member {
        case "RequestPinCode" where !pin.isEmpty: return reply([.text(pin)])
        case "RequestPinCode", "RequestPasskey":
            guard call.member == "RequestPasskey", let number = UInt32(pin) else {
                return DBusMessage.refusal(of: call, serial: serial, Self.rejected)
            }
            return reply([.number(number)])
        case "RequestConfirmation", "RequestAuthorization", "AuthorizeService",
            "DisplayPinCode", "DisplayPasskey":
            return reply()
        case "Release", "Cancel": return DBusMessage.reply(to: call, serial: serial)
        default:
            return DBusMessage.refusal(
                of: call, serial: serial, "org.freedesktop.DBus.Error.UnknownMethod")
        }
    }
}
