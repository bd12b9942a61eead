/// A simulated LE adapter as BlueZ sees it: a service with one characteristic for each direction,
/// and an advertisement (BlueZ, doc/org.bluez.GattManager.rst and
/// doc/org.bluez.LEAdvertisement.rst).
///
/// The layout is the usual one: FFF1 notifies, FFF2 accepts writes.
/// Pure: calls in, answers and bytes out.
struct GATTServer: Hashable, Sendable {
    enum Effect: Hashable, Sendable {
        /// The call is answered, without a further action.
        case none
        /// A central wrote these bytes.
        case written([UInt8])
        /// A central listens from now on.
        case subscribed
        /// No central listens any more.
        case unsubscribed
    }

    static let root = "/org/obdscan/le"
    static let advertisement = "/org/obdscan/le/advertisement"
    private static let service = "/org/obdscan/le/service"
    static let notify = "/org/obdscan/le/service/notify"
    private static let write = "/org/obdscan/le/service/write"
    private static let characteristic = "org.bluez.GattCharacteristic1"
    private static let advertisementInterface = "org.bluez.LEAdvertisement1"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let unknown = "org.freedesktop.DBus.Error.UnknownMethod"
    private static func uuid(_ short: String) -> String {
        "0000\(short)-0000-1000-8000-00805f9b34fb"
    }

    /// The name that phones show.
    var name: String
    /// Whether a central listens.
    private(set) var isSubscribed = false
    /// The number of bytes that a central accepts at once.
    private(set) var longestPiece = 20

    static let objects: [DBusMessage.ServedObject] = [
        DBusMessage.ServedObject(
            path: service, interface: "org.bluez.GattService1",
            properties: [
                DBusMessage.Property("UUID", .text(uuid("fff0"))),
                DBusMessage.Property("Primary", .flag(true)),
            ]),
        DBusMessage.ServedObject(
            path: notify, interface: characteristic,
            properties: [
                DBusMessage.Property("UUID", .text(uuid("fff1"))),
                DBusMessage.Property("Service", .path(service)),
                DBusMessage.Property("Flags", .texts(["notify"])),
            ]),
        DBusMessage.ServedObject(
            path: write, interface: characteristic,
            properties: [
                DBusMessage.Property("UUID", .text(uuid("fff2"))),
                DBusMessage.Property("Service", .path(service)),
                DBusMessage.Property("Flags", .texts(["write", "write-without-response"])),
            ]),
    ]

    private var advertised: [DBusMessage.Property] {
        [
            DBusMessage.Property("Type", .text("peripheral")),
            DBusMessage.Property("ServiceUUIDs", .texts([Self.uuid("fff0")])),
            DBusMessage.Property("LocalName", .text(name)),
        ]
    }

    mutating func answer(
        _ call: DBusMessage, serial: UInt32
    ) -> (bytes: [UInt8], effect: Effect) {
        func reply(_ arguments: [DBusMessage.Argument] = []) -> [UInt8] {
            DBusMessage.reply(to: call, serial: serial, arguments)
        }
        switch (call.path, call.member) {
        case (Self.root, "GetManagedObjects"):
            return (reply([.objects(Self.objects)]), .none)
        case (Self.advertisement, "GetAll") where call.interface == Self.properties:
            let isAsked = call.body.first?.text == Self.advertisementInterface
            return (reply([.dictionary(isAsked ? advertised : [])]), .none)
        case (Self.advertisement, "Release"): return (reply(), .none)
        case (Self.notify, "StartNotify"):
            isSubscribed = true
            return (reply(), .subscribed)
        case (Self.notify, "StopNotify"):
            isSubscribed = false
            longestPiece = 20
            return (reply(), .unsubscribed)
        case (Self.write, "WriteValue"):
            let bytes = (call.body.first?.list ?? []).compactMap { value in
                value.integer.flatMap { UInt8(exactly: $0) }
            }
            // Three bytes of a packet are the attribute protocol's.
            if let unit = call.body.last?["mtu"]?.integer { longestPiece = max(20, unit - 3) }
            return (reply(), .written(bytes))
        default:
            if let path = call.path, call.member == "GetAll",
                let object = Self.objects.first(where: { $0.path == path })
            {
                return (reply([.dictionary(object.properties)]), .none)
            }
            return (DBusMessage.refusal(of: call, serial: serial, Self.unknown), .none)
        }
    }

    /// The signal that notifies `bytes`.
    static func notification(of bytes: [UInt8], serial: UInt32) -> [UInt8] {
        DBusMessage.signal(
            serial: serial, path: notify, interface: properties, member: "PropertiesChanged",
            arguments: [
                .text(characteristic), .dictionary([DBusMessage.Property("Value", .bytes(bytes))]),
                .noTexts,
            ])
    }
}
