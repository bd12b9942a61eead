import OBDCore

/// The numbered messages in which ECUs before CAN send long answers of service 09: `49 02 n d d d d`.
///
/// The messages are joined at the end of the exchange, in any order of arrival.
struct LegacyMultipart: Sendable {
    /// Identifies the parts of one info type from one ECU.
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

    /// The parts received so far.
    struct Parts: Sendable {
        /// Data by number, ascending.
        var data: [UInt8: [UInt8]] = [:]
        /// A number that was received twice with different data.
        var contradiction: UInt8?
        /// The line of the first part.
        var line: Int
    }

    /// Far more than an exchange can have; foreign addresses must not fill the memory.
    private static let mostKeys = 256

    private var parts: [Key: Parts] = [:]
    // The number of messages that ECUs announced in info types 01, 03, 05, 07 and 09; kept after the
    // exchange.
    private var announced: [Key: UInt8] = [:]

    /// Whether no part waits to be joined.
    var isEmpty: Bool { parts.isEmpty }

    /// Adds a part; a repeated part with the same data is dropped.
    ///
    /// Returns false if there is no space.
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

    /// Records the number of messages of an info type.
    mutating func announce(_ count: UInt8, infoType: UInt8, ecu: ECUAddress?) {
        if announced.count >= Self.mostKeys { announced.removeAll() }
        announced[Key(ecu: ecu, infoType: infoType)] = count
    }

    /// The number of messages of an ECU's info type; nil if the ECU did not announce it.
    func announcedCount(_ key: Key) -> UInt8? { announced[key] }

    /// Removes and returns all parts, by ECU and info type.
    mutating func takeAll() -> [(key: Key, parts: Parts)] {
        defer { parts.removeAll(keepingCapacity: true) }
        return parts.sorted { $0.key < $1.key }.map { (key: $0.key, parts: $0.value) }
    }
}
