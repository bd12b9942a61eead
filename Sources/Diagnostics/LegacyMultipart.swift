import OBDCore

/// The numbered messages in which ECUs before CAN send long answers of service 09: `49 02 n d d d d`.
///
/// They are joined when the exchange ends, whatever the order in which they came.
struct LegacyMultipart: Sendable {
    /// Parts of one info type of one ECU.
    struct Key: Hashable, Comparable {
        var ecu: ECUAddress?
        var infoType: UInt8

        static func < (left: Key, right: Key) -> Bool {
            switch (left.ecu, right.ecu) {
            case (let first?, let second?) where first != second: first < second
            case (nil, _?): true
            case (_?, nil): false
            default: left.infoType < right.infoType
            }
        }
    }

    /// What came so far.
    struct Parts: Sendable {
        /// Data by number, ascending.
        var data: [UInt8: [UInt8]] = [:]
        /// A number that came twice with different data.
        var contradiction: UInt8?
        /// The line on which the first came.
        var line: Int
    }

    /// Far more than one exchange can bring; a stranger's addresses must not fill the memory.
    private static let mostKeys = 256

    private var parts: [Key: Parts] = [:]
    // How many messages ECUs announced by info types 01, 03, 05, 07 and 09; outlives the exchange.
    private var announced: [Key: UInt8] = [:]

    /// Whether nothing waits to be joined.
    var isEmpty: Bool { parts.isEmpty }

    /// Takes one part; one that came before with the same data is dropped.
    ///
    /// False means that there is no room.
    mutating func add(
        number: UInt8, data: ArraySlice<UInt8>, infoType: UInt8, ecu: ECUAddress?, line: Int
    ) -> Bool {
        let key = Key(ecu: ecu, infoType: infoType)
        if parts[key] == nil && parts.count >= Self.mostKeys { return false }
        var known = parts[key] ?? Parts(line: line)
        if let earlier = known.data[number], !earlier.elementsEqual(data) {
            known.contradiction = number
        } else {
            known.data[number] = Array(data)
        }
        parts[key] = known
        return true
    }

    /// Takes note of how many messages an info type has.
    mutating func announce(_ count: UInt8, infoType: UInt8, ecu: ECUAddress?) {
        if announced.count >= Self.mostKeys { announced.removeAll() }
        announced[Key(ecu: ecu, infoType: infoType)] = count
    }

    /// How many messages an info type of an ECU has; nil where it did not tell.
    func announcedCount(_ key: Key) -> UInt8? { announced[key] }

    /// Everything that waits, by ECU and info type; nothing waits afterwards.
    mutating func takeAll() -> [(key: Key, parts: Parts)] {
        defer { parts.removeAll(keepingCapacity: true) }
        return parts.sorted { $0.key < $1.key }.map { (key: $0.key, parts: $0.value) }
    }
}
