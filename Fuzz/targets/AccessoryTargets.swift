import Adapters
import OBDCore

/// A GoLink that sends arbitrary bytes.
///
/// The result must not depend on how the input is split, an ECU's answer must be part of the input,
/// and the scan tool must keep the same rules as with every adapter.
func readGoLink(_ input: [UInt8]) {
    var cutter = Cutter(input)
    let choice = cutter.byte()
    let cut = Int(cutter.byte())
    if choice & 1 == 1 {
        return readEvents(&cutter, GoLinkDialect(), clearing: [0x07, 0xDF, 0x01, 0x04])
    }
    let bytes = cutter.rest()
    let whole = spoken(choice, [bytes[...]])
    let pieces = spoken(choice, [bytes.prefix(cut), bytes.dropFirst(cut)])
    // An exchange ends after the expected answers, unless further bytes or a part of them have
    // arrived by then. Bytes after the first end may therefore belong to the exchange or be
    // reported separately.
    let beforeEnd = { (outputs: [DialectOutput]) in
        outputs.prefix {
            if case .end = $0 { false } else { true }
        }
    }
    let certain = min(beforeEnd(whole).count, beforeEnd(pieces).count)
    require(
        choice & 16 == 0 ? whole == pieces : whole.prefix(certain) == pieces.prefix(certain),
        "a split changes what a GoLink said")
    for case .message(let message) in whole {
        require(isFound(message.payload, in: bytes), "nobody said \(message.payload)")
    }
    var frames: [GoLinkLexer.Token] = []
    var lexer = GoLinkLexer()
    lexer.receive(bytes.span, &frames)
    for case .frame(let frame) in frames {
        guard case .data(let ecu, let payload) = frame else { continue }
        require(frame.bytes == [0, ecu, UInt8(payload.count)] + payload, "a frame that is another")
    }
}

/// The outputs of a dialect for bytes after its request, without timers.
private func spoken(_ choice: UInt8, _ pieces: [ArraySlice<UInt8>]) -> [DialectOutput] {
    var out: [DialectOutput] = []
    var dialect = GoLinkDialect(.init(vehicle: choice & 2 == 0 ? .needed : .unused))
    dialect.initialise(&out)
    if choice & 4 == 0 {
        dialect.receive([0x07, 0x00, 0x04, 0x01, 0x00, 0x00, 0x00].span, &out)
        if choice & 2 == 0 {
            dialect.receive([0x00, 0xE8, 0x06, 0x41, 0x00, 0xBF, 0xFF, 0xB9, 0x93].span, &out)
            dialect.expired(.pause, &out)
        }
        let payload: [UInt8] = choice & 8 == 0 ? [0x01, 0x0C] : [0x03]
        let frames = choice & 16 == 0 ? nil : 2
        let request = VehicleRequest(
            id: RequestID(rawValue: 1), payload: payload, expectedFrames: frames)
        dialect.send(.vehicle(request), &out)
    }
    out.removeAll()
    for piece in pieces { dialect.receive(Array(piece).span, &out) }
    return out.filter {
        switch $0 {
        case .arm, .disarm, .disarmAll: false
        default: true
        }
    }
}
