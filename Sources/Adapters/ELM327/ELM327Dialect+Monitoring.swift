import OBDCore

/// Filters for watching the bus.
///
/// An ELM327 that prints every frame falls behind on a busy bus and stops with `BUFFER FULL`. If the user
/// chose some identifiers, the adapter filters them: an ELM327 by one pattern (`AT CF`, `AT CM`), an STN by
/// any number of pass filters. The caller filters again, because one pattern can match more than these
/// identifiers.
extension ELM327Dialect {
    /// Prepares a request that monitors everything for `filters`; empty = every frame.
    mutating func prepareMonitoring(_ filters: [CANFilter]) {
        guard let spoken = capabilities.vehicleProtocol, !filters.isEmpty,
            filters.allSatisfy({ $0.pattern.form == spoken.addressForm })
        else { return }
        if identity.stnFirmware != nil {
            running.preparations = filters.map { "STFPA" + Self.passFilter($0) }
            running.command = Array("STM".utf8)
            wire.hasPassFilters = true
        } else if let filter = CANFilter(covering: filters) {
            running.preparations = [
                "ATCF" + filter.pattern.digits,
                "ATCM" + ECUAddress(filter.mask, filter.pattern.form).digits,
            ]
            // The next request to the vehicle sets its own.
            wire.responders = .matching(pattern: filter.pattern, mask: filter.mask)
        }
    }

    /// Pattern and mask of a pass filter: two bytes for 11 bits, four for 29.
    private static func passFilter(_ filter: CANFilter) -> String {
        let digits = filter.pattern.form == .can11 ? 4 : 8
        return Hex.string(filter.pattern.value & filter.mask, digits: digits) + ","
            + Hex.string(filter.mask, digits: digits)
    }

    /// Goes on after a refused filter: with its older name, or without any filter.
    mutating func replaceMonitorFilter(_ command: String) {
        if command.hasPrefix("STFPA") {
            running.preparations.insert("STFAP" + command.dropFirst(5), at: 0)
            return
        }
        running.preparations = []
        running.command = Array(AdapterCommand.monitorEverything.utf8)
        wire.isUncertain = true
    }
}

extension CANFilter {
    /// The narrowest filter that passes every frame that one of `filters` passes; nil if it would pass
    /// everything.
    init?(covering filters: [CANFilter]) {
        guard var filter = filters.first else { return nil }
        for other in filters {
            guard other.pattern.form == filter.pattern.form else { return nil }
            filter.mask &= other.mask & ~(filter.pattern.value ^ other.pattern.value)
        }
        guard filter.mask != 0 else { return nil }
        self = filter
    }
}
