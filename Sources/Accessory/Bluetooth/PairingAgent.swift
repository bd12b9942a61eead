/// What BlueZ asks while a device is paired (BlueZ, doc/org.bluez.Agent.rst), and what this program
/// answers: for the one device that its user named, and for no other.
struct PairingAgent: Hashable, Sendable {
    /// Where the agent is on the bus.
    static let path = "/org/obdscan/agent"
    /// It can type a number and confirm one.
    static let capability = "KeyboardDisplay"
    private static let interface = "org.bluez.Agent1"
    private static let rejected = "org.bluez.Error.Rejected"

    /// The device that is paired, as an object of BlueZ.
    var device: String
    /// The number to give.
    var pin: String

    /// The answer to a call; nil for a call of something that is not the agent.
    func answer(to call: DBusMessage, serial: UInt32) -> [UInt8]? {
        guard call.path == Self.path, call.interface == nil || call.interface == Self.interface
        else { return nil }
        func reply(_ arguments: [DBusMessage.Argument] = []) -> [UInt8] {
            // Every question names its device first.
            guard call.body.first?.text == device else {
                return DBusMessage.refusal(of: call, serial: serial, Self.rejected)
            }
            return DBusMessage.reply(to: call, serial: serial, arguments)
        }
        switch call.member {
        case "RequestPinCode": return reply([.text(pin)])
        case "RequestPasskey":
            guard let number = UInt32(pin) else {
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
