import Testing

@testable import Accessory

/// The two characteristics of a device that form the serial line of an adapter.
@Suite("GATT layouts") struct GATTLayoutTests {
    static let device = "/org/bluez/hci0/dev_D2_E0_2F_8D_54_D5"

    /// A service and its characteristics: short or full UUIDs, and the first letters of the flags.
    struct Row: Sendable {
        var service: String
        var members: [(uuid: String, flags: [String])]

        init(_ service: String, _ members: (String, [String])...) {
            self.service = service
            self.members = members.map { (uuid: $0.0, flags: $0.1) }
        }
    }

    static let notify = "notify"
    static let indicate = "indicate"
    static let write = "write"
    static let command = "write-without-response"

    /// The answer of GetManagedObjects for a device with these services.
    static func body(_ rows: [Row], mtu: Int? = 517) -> [DBusValue] {
        func text(_ key: String, _ value: String) -> DBusValue.Entry {
            .init(key: .text(key), value: .text(value))
        }
        var objects: [DBusValue.Entry] = [
            .init(
                key: .text(device),
                value: .entries([
                    .init(key: .text("org.bluez.Device1"), value: .entries([]))
                ]))
        ]
        for (number, row) in rows.enumerated() {
            let service = "\(device)/service00\(number)0"
            objects.append(
                .init(
                    key: .text(service),
                    value: .entries([
                        .init(
                            key: .text("org.bluez.GattService1"),
                            value: .entries([text("UUID", GATTObjects.whole(row.service))]))
                    ])))
            for (index, member) in row.members.enumerated() {
                var properties = [
                    text("UUID", GATTObjects.whole(member.uuid)), text("Service", service),
                    DBusValue.Entry(
                        key: .text("Flags"), value: .list(member.flags.map { .text($0) })),
                ]
                if let mtu {
                    properties.append(.init(key: .text("MTU"), value: .integer(mtu)))
                }
                objects.append(
                    .init(
                        key: .text("\(service)/char00\(number)\(index)"),
                        value: .entries([
                            .init(
                                key: .text("org.bluez.GattCharacteristic1"),
                                value: .entries(properties))
                        ])))
            }
        }
        // The daemon sends the objects in the order of a hash table.
        return [.entries(objects.reversed())]
    }

    static func layouts(_ rows: [Row], _ wish: GATTLayout.Wish = .init()) -> [GATTLayout] {
        GATTLayout.candidates(GATTObjects(body(rows), of: device), wish)
    }

    private static let battery = Row("180F", ("2A19", ["read", notify]))
    private static let issc = "49535343-FE7D-4AE5-8FA9-9FAFD205E455"
    private static let isscFrom = "49535343-1E4D-4BD9-BA61-23C647249616"
    private static let isscTo = "49535343-8841-43F4-A8D4-ECBE34729BB3"
    private static let uart = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"

    /// The services, then the chosen service, both characteristics, and whether writes get a
    /// response.
    struct Case: Sendable {
        var name: String
        var rows: [Row]
        var service: String
        var from: String
        var to: String
        var awaitsResponse = false
    }

    static let cases = [
        Case(
            name: "OBDLink CX, Veepeak, vLinker",
            rows: [
                battery, Row("FFF0", ("FFF1", [notify]), ("FFF2", [write, command])),
            ], service: "FFF0", from: "FFF1", to: "FFF2"),
        Case(
            name: "LELink and other HM-10 modules",
            rows: [Row("FFE0", ("FFE1", ["read", command, notify]))],
            service: "FFE0", from: "FFE1", to: "FFE1"),
        Case(
            name: "Vgate",
            rows: [Row("18F0", ("2AF0", [notify, indicate]), ("2AF1", [write, command]))],
            service: "18F0", from: "2AF0", to: "2AF1"),
        Case(
            name: "an adapter that only indicates",
            rows: [Row("18F0", ("2AF0", [indicate]), ("2AF1", [command]))],
            service: "18F0", from: "2AF0", to: "2AF1"),
        Case(
            name: "WiCAN",
            rows: [Row("FEE0", ("FEE1", [notify]), ("FEE3", [write]))],
            service: "FEE0", from: "FEE1", to: "FEE3", awaitsResponse: true),
        Case(
            name: "Microchip's module",
            rows: [
                Row(issc, (isscFrom, [notify]), (isscTo, [write, command]))
            ], service: issc, from: isscFrom, to: isscTo),
        Case(
            name: "one of them without the second characteristic",
            rows: [Row(issc, (isscFrom, [notify, write]))],
            service: issc, from: isscFrom, to: isscFrom, awaitsResponse: true),
        Case(
            name: "Nordic's serial service",
            rows: [
                Row(
                    uart, ("6E400003-B5A3-F393-E0A9-E50E24DCCA9E", [notify]),
                    ("6E400002-B5A3-F393-E0A9-E50E24DCCA9E", [write, command]))
            ], service: uart, from: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E",
            to: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"),
        Case(
            name: "a service that is not known",
            rows: [
                battery, Row("ABF0", ("ABF1", [write]), ("ABF2", [notify]), ("ABF3", [command])),
            ], service: "ABF0", from: "ABF2", to: "ABF3"),
    ]

    @Test(arguments: cases)
    func `GATT layouts are found by known services or by properties of characteristics`(
        one: Case
    ) throws {
        let layout = try #require(Self.layouts(one.rows).first)
        #expect(layout.service == GATTObjects.whole(one.service), "\(one.name)")
        #expect(layout.notify.uuid == GATTObjects.whole(one.from), "\(one.name)")
        #expect(layout.write.uuid == GATTObjects.whole(one.to), "\(one.name)")
        #expect(layout.awaitsResponse == one.awaitsResponse, "\(one.name)")
        #expect(Self.layouts(one.rows).count == 1, "\(one.name)")
    }

    @Test func `all services with a layout are candidates, the known ones first`() {
        let rows = [
            Row("ABF0", ("ABF1", [Self.notify]), ("ABF2", [Self.write])),
            Row(
                "E7810A71-73AE-499D-8C15-FAA9AEF0C3F2",
                ("BEF8D6C9-9C21-4C9E-B632-BD58C1009F9F", [Self.notify, Self.command])),
            Row("18F0", ("2AF0", [Self.notify]), ("2AF1", [Self.command])),
        ]
        let layouts = Self.layouts(rows)
        #expect(
            layouts.map { GATTObjects.short($0.service) } == [
                "18F0", "E7810A71-73AE-499D-8C15-FAA9AEF0C3F2", "ABF0",
            ])
    }

    @Test func `standard services and services of one direction are not candidates`() {
        #expect(
            Self.layouts([
                Self.battery, Row("1801", ("2A05", [Self.indicate]), ("2B29", [Self.write])),
                Row("ABF0", ("ABF1", [Self.notify])), Row("ABF4", ("ABF5", [Self.command])),
            ]) == [])
        #expect(Self.layouts([]) == [])
        #expect(GATTLayout.candidates(GATTObjects([], of: Self.device)) == [])
    }

    @Test func `a layout can be given by name`() throws {
        let rows = [
            Row("FFF0", ("FFF1", [Self.notify]), ("FFF2", [Self.command])),
            Row(
                "ABF0", ("ABF1", [Self.notify]), ("ABF2", [Self.notify]),
                ("ABF3", [Self.write, Self.command])),
        ]
        let address = try BLETransport(
            "D2:E0:2F:8D:54:D5?service=abf0&notify=ABF2&write=abf3&reply=yes", of: "")
        let layout = try #require(Self.layouts(rows, address.wish).first)
        #expect(GATTObjects.short(layout.notify.uuid) == "ABF2")
        #expect(GATTObjects.short(layout.write.uuid) == "ABF3")
        #expect(layout.awaitsResponse)
        #expect(
            address.description
                == "ble:D2:E0:2F:8D:54:D5?service=ABF0&notify=ABF2&write=ABF3&reply=yes")
    }

    /// The MTU, and the number of bytes per write.
    @Test(arguments: [(nil, 20), (23, 20), (185, 182), (517, 512), (3, 20), (0, 20)])
    func `writes are cut to one packet`(mtu: Int?, length: Int) throws {
        let rows = [Row("FFE0", ("FFE1", [Self.command, Self.notify]))]
        let objects = GATTObjects(Self.body(rows, mtu: mtu), of: Self.device)
        #expect(GATTLayout.candidates(objects).first?.longestWrite == length)
    }

    @Test func `the layouts of another device are not used`() {
        let rows = [Row("FFE0", ("FFE1", [Self.command, Self.notify]))]
        #expect(
            GATTObjects(Self.body(rows), of: "/org/bluez/hci0/dev_D2_E0_2F_8D_54_D")
                == GATTObjects([], of: ""))
    }
}
