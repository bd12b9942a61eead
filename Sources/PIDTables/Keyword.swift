/// The words at the start of a table's line, or in the line of a signal.
enum Keyword: Equatable {
    case record, signal
    case alias, none, scale, offset, unit, `if`, signed, little, part
    case times, over, piece, point, value
    case shared, display, label
    case header, reply, vehicle, years
    case example, range, source, note, unverified, title
    case kind
    /// Any other word, such as the code of a label.
    case other

    /// Recognises a word.
    ///
    /// Up to eight bytes are packed into a number, so that each comparison is of numbers instead of strings.
    init(_ word: ArraySlice<UInt8>) {
        switch (word.count, Self.packed(word)) {
        case (6, 0x7265_636F_7264): self = .record
        case (6, 0x7369_676E_616C): self = .signal
        case (5, 0x61_6C69_6173): self = .alias
        case (4, 0x6E6F_6E65): self = .none
        case (5, 0x73_6361_6C65): self = .scale
        case (6, 0x6F66_6673_6574): self = .offset
        case (4, 0x756E_6974): self = .unit
        case (2, 0x6966): self = .if
        case (6, 0x7369_676E_6564): self = .signed
        case (6, 0x6C69_7474_6C65): self = .little
        case (4, 0x7061_7274): self = .part
        case (5, 0x74_696D_6573): self = .times
        case (4, 0x6F76_6572): self = .over
        case (5, 0x70_6965_6365): self = .piece
        case (5, 0x70_6F69_6E74): self = .point
        case (5, 0x76_616C_7565): self = .value
        case (5, 0x6C_6162_656C): self = .label
        case (6, 0x7368_6172_6564): self = .shared
        case (7, 0x64_6973_706C_6179): self = .display
        case (5, 0x79_6561_7273): self = .years
        case (6, 0x6865_6164_6572): self = .header
        case (5, 0x72_6570_6C79): self = .reply
        case (7, 0x76_6568_6963_6C65): self = .vehicle
        case (7, 0x65_7861_6D70_6C65): self = .example
        case (5, 0x72_616E_6765): self = .range
        case (6, 0x736F_7572_6365): self = .source
        case (4, 0x6E6F_7465): self = .note
        case (10, 0x756E_7665_7269_6669): self = .unverified
        case (5, 0x74_6974_6C65): self = .title
        case (4, 0x656E_756D), (4, 0x666C_6167), (4, 0x636F_6465), (3, 0x6D_6170),
            (4, 0x7465_7874), (5, 0x62_7974_6573), (6, 0x6E75_6D62_6572), (3, 0x62_6364),
            (5, 0x66_6C6F_6174):
            self = .kind
        default: self = .other
        }
    }

    /// The first eight bytes as a number, with the first byte highest.
    private static func packed(_ word: ArraySlice<UInt8>) -> UInt64 {
        word.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
