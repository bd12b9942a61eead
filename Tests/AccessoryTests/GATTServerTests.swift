import OBDCore
import Testing

@testable import Accessory

/// A simulated LE adapter as BlueZ sees it.
@Suite struct `A simulated LE adapter` {
    private func call(
        _ path: String, _ interface: String, _ member: String,
        _ arguments: [DBusMessage.Argument] = []
    ) throws -> DBusMessage {
        try DBusMessage(
            DBusMessage.call(
                serial: 7, destination: ":1.9", path: path, interface: interface, member: member,
                arguments: arguments))
    }

    private func answer(_ server: inout GATTServer, _ call: DBusMessage) throws
        -> (DBusMessage, GATTServer.Effect)
    {
        let (bytes, effect) = server.answer(call, serial: 3)
        return (try DBusMessage(bytes), effect)
    }

    private func bytes(_ text: String) throws -> [UInt8] {
        try #require(Hex.bytes(text.filter { !$0.isWhitespace }))
    }

    /// The expected bytes are those of jeepney 0.9.0.
    @Test func `the simulated adapter's object list has the same bytes as in another library`()
        throws
    {
        var server = GATTServer(name: "OBDBLE")
        let asked = try call(
            GATTServer.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        let (answer, _) = server.answer(asked, serial: 3)
        #expect(answer.suffix(Self.objects.count / 2).elementsEqual(try bytes(Self.objects)))
    }

    @Test func `the simulated adapter's notifications have the same bytes as in another library`()
        throws
    {
        let signal = GATTServer.notification(of: Array("41 0C\r\r>".utf8), serial: 9)
        let expected = try bytes(Self.signal)
        #expect(signal.suffix(expected.count).elementsEqual(expected))
        let read = try DBusMessage(signal)
        #expect(read.kind == .signal && read.path == GATTServer.notify)
        #expect(read.gattValue == Array("41 0C\r\r>".utf8))
    }

    @Test func `the advertisement of the simulated adapter has its name and its service`() throws {
        var server = GATTServer(name: "My car")
        let (answer, _) = try answer(
            &server,
            try call(
                GATTServer.advertisement, "org.freedesktop.DBus.Properties", "GetAll",
                [.text("org.bluez.LEAdvertisement1")]))
        #expect(answer.body[0]["LocalName"]?.text == "My car")
        #expect(answer.body[0]["Type"]?.text == "peripheral")
        #expect(
            answer.body[0]["ServiceUUIDs"]?.list.compactMap(\.text)
                == ["0000fff0-0000-1000-8000-00805f9b34fb"])
    }

    @Test
    func `a phone's writes are accepted, and answers are cut to the phone's packets`() throws {
        let characteristic = "org.bluez.GattCharacteristic1"
        let write = "/org/obdscan/le/service/write"
        var server = GATTServer(name: "OBDBLE")
        #expect(!server.isSubscribed && server.longestPiece == 20)
        var (answer, effect) = try answer(
            &server, try call(GATTServer.notify, characteristic, "StartNotify"))
        #expect(answer.kind == .reply && effect == .subscribed && server.isSubscribed)
        (answer, effect) = try self.answer(
            &server,
            try call(
                write, characteristic, "WriteValue",
                [.bytes(Array("ATI\r".utf8)), .properties(["device": "/org/bluez/hci0/dev"])]))
        #expect(answer.kind == .reply && effect == .written(Array("ATI\r".utf8)))
        #expect(server.longestPiece == 20)
        (_, effect) = try self.answer(
            &server, try call(GATTServer.notify, characteristic, "StopNotify"))
        #expect(effect == .unsubscribed && !server.isSubscribed)
    }

    @Test(arguments: [
        ("/org/obdscan/le/service/notify", "WriteValue"),
        ("/org/obdscan/le/service/write", "ReadValue"), ("/elsewhere", "GetAll"),
        ("/org/obdscan/le", "Frobnicate"),
    ])
    func `a call that the simulated adapter does not implement is refused`(
        path: String, member: String
    ) throws {
        var server = GATTServer(name: "OBDBLE")
        let (answer, effect) = try answer(&server, try call(path, "org.bluez.Any1", member))
        #expect(answer.kind == .error && effect == .none)
        #expect(answer.errorName == "org.freedesktop.DBus.Error.UnknownMethod")
    }

    private static let objects = """
        5b02000000000000170000002f6f72672f6f62647363616e2f6c652f73657276696365006c000000
        160000006f72672e626c75657a2e47617474536572766963653100004c0000000400000055554944
        000173002400000030303030666666302d303030302d313030302d383030302d3030383035663962
        3334666200000000070000005072696d617279000162000001000000000000001e0000002f6f7267
        2f6f62647363616e2f6c652f736572766963652f6e6f746966790000af0000001d0000006f72672e
        626c75657a2e47617474436861726163746572697374696331000000870000000400000055554944
        000173002400000030303030666666312d303030302d313030302d383030302d3030383035663962
        3334666200000000070000005365727669636500016f0000170000002f6f72672f6f62647363616e
        2f6c652f73657276696365000000000005000000466c616773000261730000000b00000006000000
        6e6f7469667900001d0000002f6f72672f6f62647363616e2f6c652f736572766963652f77726974
        65000000cb0000001d0000006f72672e626c75657a2e476174744368617261637465726973746963
        31000000a30000000400000055554944000173002400000030303030666666322d303030302d3130
        30302d383030302d30303830356639623334666200000000070000005365727669636500016f0000
        170000002f6f72672f6f62647363616e2f6c652f73657276696365000000000005000000466c6167
        7300026173000000270000000500000077726974650000001600000077726974652d776974686f75
        742d726573706f6e736500
        """.filter { !$0.isWhitespace }

    private static let signal = """
        1d0000006f72672e626c75657a2e476174744368617261637465726973746963310000001c000000
        0500000056616c7565000261790000000800000034312030430d0d3e00000000
        """
}
