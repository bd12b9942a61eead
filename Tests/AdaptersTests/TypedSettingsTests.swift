import Adapters
import OBDCore
import Testing

@Suite struct `Typed settings` {
    private static func settings(
        _ commands: String, in vehicleProtocol: VehicleProtocol?, isConfirmed: Bool = true
    ) -> TypedSettings {
        var settings = TypedSettings(vehicleProtocol: vehicleProtocol)
        for command in commands.split(separator: ";") {
            settings.take(String(command), isConfirmed: isConfirmed)
        }
        return settings
    }

    private static func bytes(_ text: String) throws -> [UInt8] {
        try #require(Hex.bytes(text))
    }

    /// The settings that a user typed, the vehicle's protocol, a request, and whether the request
    /// only reads.
    ///
    /// ISO 15765-2: a first byte of 01 to 07 is the length of a single frame. SAE J1979: service 04
    /// clears. ISO 15765-4: requests go to 7DF, 7E0 to 7E7, 18DB33F1 and 18DAxxF1. SAE J1850 and
    /// ISO 9141-2: requests go to 686AF1. ISO 14230-2: the highest bit of the first byte is set.
    /// SAE J1939-21: PGN EA00 is a request, PGN 0 (engine control) is not.
    @Test(
        arguments: [
            ("", .can11At500, "010C", true), ("", .can11At500, "04", false),
            ("AT CAF0", .can11At500, "0104", false), ("AT CAF0", .can11At500, "02010C", true),
            ("AT CAF0", .can11At500, "0304010C", false), ("AT CAF0", .can11At500, "0201", false),
            ("AT CAF0", .can11At500, "300000", false), ("AT CAF0", .can11At500, "100801", false),
            ("AT CAF0;AT CAF1", .can11At500, "010C", true),
            ("AT CAF0;AT D", .can11At500, "010C", true),
            ("AT CAF0", .iso9141, "010C", true), ("AT CAF0", nil, "0104", false),
            ("AT SH 7E0", .can11At500, "010C", true), ("AT SH 0C9", .can11At500, "010C", false),
            ("AT SH 0C9;AT SH 7DF", .can11At500, "010C", true),
            ("AT SH DA10F1", .can29At500, "22F190", true),
            ("AT SH 18DA10F1", .can29At500, "22F190", true),
            ("AT SH 7E0", .can29At500, "010C", false),
            ("AT SH DA10F1;AT CP 19", .can29At500, "010C", false),
            ("AT SH 686AF1", .j1850VPW, "010C", true), ("AT SH 8D1BF1", .j1850VPW, "010C", false),
            ("AT SH C133F1", .iso14230Fast, "010C", true),
            ("AT SH 616AF1", .j1850PWM, "010C", true), ("AT SH 6C10F1", .iso9141, "010C", true),
            ("AT SH EAFFF9", .j1939, "00FECA", true), ("AT SH 0000F9", .j1939, "00FECA", false),
            ("", .j1939, "00FECA", true), ("", .j1939, "00FED3", false),
            ("", .j1939, "01FECA", false), ("", .j1939, "0100", true),
            ("AT CEA 01", .can11At500, "22F19000", false),
            ("AT CEA 01;AT CEA", .can11At500, "22F190", true),
            ("STP 33", .can11At500, "010C", true), ("STP 31", .can11At500, "0104", false),
            ("STP 31;AT SP 6", .can11At500, "0104", false),
            ("AT SP 7;AT SH DA10F1", .can11At500, "010C", true),
            // The command is not known to be harmless, and its effect on requests is unknown, too.
            ("AT XYZ", .can11At500, "010C", false), ("AT BRD 23", .can11At500, "010C", true),
            ("AT PP 24 SV 01", .can11At500, "010C", true),
            ("AT PP 24 SV 01;AT Z", .can11At500, "010C", false),
            ("AT PPS;AT Z", .can11At500, "010C", true),
            // An adapter starts with the protocol in its memory, or searches; 01 04 on user CAN clears, and
            // 01 FE CA on SAE J1939 is a group of which nothing is known.
            ("AT SP B;AT Z", .can11At500, "0104", false), ("AT SP B;AT D", nil, "010C", false),
            ("STP 31;AT WS", .can11At500, "0104", false),
            ("AT SP A;AT Z", .can11At500, "01FECA", false), ("AT Z", .j1939, "01FECA", false),
            ("AT SP A;AT SP 6;AT Z", nil, "01FECA", false), ("AT Z", .j1939, "00FECA", true),
            ("AT CAF0;AT SP 7;AT Z", .can11At500, "010C", true),
            // The first protocol of a search, and numbers without a meaning that is known.
            ("AT SP AA", .can11At500, "01FECA", false), ("AT SP A6", .can11At500, "010C", true),
            ("AT SP D", .can11At500, "010C", false), ("STP 99", .can11At500, "010C", false),
            // ISO 15765-2: 18DA and 18DB have priority 6 and come from a tester. 7E8 is the
            // identifier of an answer.
            ("AT CP 14;AT SH DA10F1", .can29At500, "22F190", true),
            ("AT CP 15;AT SH DA10F1", .can29At500, "22F190", false),
            ("AT SH DA1018", .can29At500, "22F190", false),
            ("AT CP 17;AT SH FC007B", .can29At500, "22028C", true),
            ("AT SH 7E8", .can11At500, "010C", false), ("AT SH 0A5", .can11At500, "010C", false),
            // With 6F1 and 750, the ECU's address is the first byte: 02 11 01 is an ECUReset of one
            // byte there.
            ("AT SH 6F1", .can11At500, "22F190", true),
            ("AT SH 6F1", .can11At500, "021101", false),
            ("AT SH 750", .can11At500, "0104", false),
            // SAE J1939-21: the group number comes with its least significant byte first.
            ("AT SH 18EA00F9", .j1939, "00FECA", true), ("AT JS", .j1939, "00FECA", false),
            ("AT JS;AT JE", .j1939, "00FECA", true), ("", .can11At500, "00FECA", true),
            // On user CAN the adapter adds nothing by default: 01 04 is a frame that clears.
            ("AT SP B", .can11At500, "0104", false), ("AT SP C", .can11At500, "010C", false),
            // Frames that an adapter sends on its own with the next long answer.
            ("AT FC SH 7E0", .can11At500, "0902", true),
            ("AT FC SH 7E0;AT SP 7", .can11At500, "0902", false),
            ("AT FC SH 0A5", .can11At500, "0902", false),
            ("AT FC SD 300000;AT FC SM 2", .can11At500, "0902", true),
            ("AT FC SD 0104", .can11At500, "0902", false),
            ("AT FC SD 010400;AT FC SM 2", .can11At500, "0902", false),
            ("AT FC SD 0104;AT D", .can11At500, "0902", true),
        ] as [(String, VehicleProtocol?, String, Bool)])
    func `typed settings decide whether a request only reads`(
        _ commands: String, _ vehicleProtocol: VehicleProtocol?, _ request: String,
        _ isReadOnly: Bool
    ) throws {
        let settings = Self.settings(commands, in: vehicleProtocol)
        #expect(settings.isReadOnly(try Self.bytes(request)) == isReadOnly)
    }

    @Test func `unconfirmed settings are considered as set and as not set`() throws {
        let off = Self.settings("AT CAF0", in: .can11At500, isConfirmed: false)
        // 01 04 is a request for a value, or a length followed by the request to clear.
        #expect(!off.isReadOnly(try Self.bytes("0104")))
        #expect(off.areKnown)
        var back = Self.settings("AT CAF0", in: .can11At500)
        back.take("AT CAF1", isConfirmed: false)
        #expect(!back.isReadOnly(try Self.bytes("0104")))
        back.take("AT CAF1", isConfirmed: true)
        #expect(back.isReadOnly(try Self.bytes("0104")))
    }

    @Test func `a set-up resets all settings except the adapter's stored defaults`() throws {
        var settings = Self.settings("AT CAF0;AT SH 0A5", in: .can11At500)
        settings.reset()
        #expect(settings == TypedSettings())
        settings = Self.settings("AT PP 24 SV 00;AT PP 24 ON", in: .can11At500)
        #expect(settings.isReadOnly([0x01, 0x0C]))
        settings.reset()
        #expect(!settings.isReadOnly([0x01, 0x0C]) && !settings.areKnown)
    }

    @Test(
        arguments: [
            ("", "STPX h:7E0, d:010C", true), ("", "STPX d:04", false),
            ("", "STPX h:0C9, d:010C", false), ("", "STPX h:7E0, x:01, d:010C", false),
            ("AT CAF0", "STPX h:7E0, d:0104", false), ("AT CAF0", "AT RV", true),
            ("", "STPX h:7E0, d:010C, d:04", false), ("", "STPX h:18DA10F1, d:22F190", false),
            ("AT SP 7", "STPX h:18DA10F1, d:22F190", true),
            ("AT SP 7", "STPX h:0CF00400, d:22F190", false),
            ("", "AT FC SH 7E0", true), ("AT SP 7", "AT FC SH 7E0", false),
            ("AT SP 3", "AT FC SH 7E0", false), ("", "AT FC SH 18DA10F1", false),
            // Three bytes that are a request of one byte, and a control byte that ISO 15765-2 leaves open.
            ("", "AT FC SD 300000", true), ("", "AT FC SD 010400", false),
            ("", "AT FC SD 330000", false), ("", "AT FC SD 3000", false),
        ])
    func `typed settings decide which adapter commands only read`(
        _ commands: String, _ text: String, _ isReadOnly: Bool
    ) {
        #expect(
            Self.settings(commands, in: .can11At500).isReadOnlyCommand(text) == isReadOnly)
    }
}
