/// The order of day and month in the dates of a log, which any of its lines may show.
///
/// In the first reading of a log, a date that may be two days is one of them until the rest of the log has
/// decided; if that was the wrong one, the log is read again.
struct DateOrder {
    /// The result of the first reading.
    private let known: Bool?
    /// The orders that dates of the log show.
    private var shown: Set<Bool> = []
    /// The order that makes a date fit the beginning that the user or the file name says.
    private var fitting: Bool?
    /// The orders that were used for dates that may be two days.
    private var used: Set<Bool> = []
    /// The message about the first such date.
    private var unclear: ImportFault?

    /// The order that an earlier reading has found.
    init(_ known: Bool?) { self.known = known }

    /// Takes what a date shows.
    mutating func take(_ isMonthFirst: Bool) { shown.insert(isMonthFirst) }

    /// Whether the month is first in a date that may be two days.
    ///
    /// - Parameters:
    ///   - fitting: the order that makes the date fit the beginning of the log.
    ///   - fault: the message if nothing decides.
    mutating func isMonthFirst(fitting: Bool?, _ fault: @autoclosure () -> ImportFault) -> Bool {
        if let known { return known }
        self.fitting = self.fitting ?? fitting
        if unclear == nil { unclear = fault() }
        let order = decision ?? false
        used.insert(order)
        return order
    }

    /// The order that the whole log shows, else the order that its beginning shows.
    private var decision: Bool? { shown.count == 1 ? shown.first : fitting }

    /// The message about a date, if nothing in the log has decided.
    var fault: ImportFault? { decision == nil ? unclear : nil }

    /// The order for another reading; nil if dates were read in this order.
    var finding: Bool? { decision.flatMap { used.isSubset(of: [$0]) ? nil : $0 } }
}
