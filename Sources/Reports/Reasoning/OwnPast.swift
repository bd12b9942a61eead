import PIDTables

extension CauseTable {
    /// The drives whose weight all healthy vehicles have against the vehicle's own.
    private static let weightOfAll = 8.0

    /// The table with what is usual for one vehicle where its own drives show it.
    ///
    /// What is usual for it then speaks against a cause, and what has changed speaks for it. The limits of healthy
    /// vehicles stay, and so do the conditions without which no cause is named. The spread is never wider than that of
    /// all vehicles, and never less than half of it: fuel, tyres and seasons change the same vehicle, too.
    func with(_ usual: [String: DriftHistory.Usual]) -> CauseTable {
        var table = self
        for (id, own) in usual {
            guard let all = self[measure: id]?.healthy else { continue }
            var healthy = all
            let drives = Double(own.drives)
            let weight = Self.weightOfAll
            let squares =
                weight * all.spread * all.spread + (drives - 1) * own.deviation * own.deviation
            let spread = (squares / (weight + drives - 1)).squareRoot()
            healthy.centre = (weight * all.centre + drives * own.mean) / (weight + drives)
            healthy.spread = min(max(spread, all.spread / 2), all.spread)
            table.setHealthy(healthy, of: id)
        }
        return table
    }
}
