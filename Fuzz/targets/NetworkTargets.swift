import Adapters
import OBDCore
import VehicleLink

@testable import Accessory

/// A stream of DoIP in arbitrary pieces.
///
/// Decoded messages must be encoded to the same bytes, the split must not matter, and a scan tool
/// must have one outcome for each request.
func readDoIP(_ input: [UInt8]) {
    var whole = DoIPLexer()
    var tokens: [DoIPLexer.Token] = []
    whole.receive(input, &tokens)
    var cut = DoIPLexer()
    var pieces: [DoIPLexer.Token] = []
    let size = max(1, Int(input.first ?? 1) % 16)
    for start in stride(from: 0, to: input.count, by: size) {
        cut.receive(Array(input[start..<min(start + size, input.count)]), &pieces)
    }
    require(tokens == pieces, "another split, other messages")
    for token in tokens {
        guard case .message(let message, let version) = token else { continue }
        let bytes = message.bytes(version: version)
        require(DoIPMessage(datagram: bytes) == message, "\(message) is not what it was")
    }
    var cutter = Cutter(input)
    let clearing = DoIPMessage.diagnostic(source: 0x0E80, target: 0xE400, payload: [0x04])
    readEvents(&cutter, DoIPDialect(), clearing: clearing.bytes(version: 0x02))
}

/// A message of the bus, and BlueZ's list in it.
///
/// No byte after its end may be read, and a layout must consist of characteristics with the
/// necessary properties.
func readBus(_ input: [UInt8]) {
    guard let length = try? DBusMessage.length(of: input), length <= input.count,
        let message = try? DBusMessage(Array(input[..<length]))
    else { return }
    let objects = BlueZObjects(message.body)
    require(objects.devices.count <= input.count, "more devices than bytes")
    for path in [message.path ?? "", "/org/bluez/hci0/dev_D2_E0_2F_8D_54_D5"] {
        let found = GATTObjects(message.body, of: path)
        for layout in GATTLayout.candidates(found) {
            require(layout.notify.announces && layout.write.isWritable, "\(layout)")
            require((1...512).contains(layout.longestWrite), "\(layout.longestWrite) bytes a write")
        }
    }
    require((message.gattValue?.count ?? 0) <= input.count, "a value of more bytes than came")
}
