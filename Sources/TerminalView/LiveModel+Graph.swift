import OBDCore

/// The signals and the time of graphs.
extension LiveModel {
    /// The greatest number of signals in one graph.
    package static let mostPlotted = 3
    /// The time spans that a graph can show.
    package static let windows: [Duration] = [
        .seconds(60), .seconds(120), .seconds(300), .seconds(600),
    ]

    /// The rows in the graph: the selected row first, then those that were added.
    package var graphed: [Int] {
        let beside = plotted.compactMap { places[$0] }
        let chosen =
            cursor.flatMap { rows.indices.contains($0) ? $0 : nil } ?? beside.first
            ?? shown.first { rows[$0].isPlottable }
        let all = [chosen].compactMap(\.self) + beside.filter { $0 != chosen }
        return Array(all.prefix(Self.mostPlotted))
    }

    /// The rows of each graph below the list: those of ``graphed`` by unit, and, while the user has
    /// added none, one graph for each of the next signals, as many as there is room for.
    package func graphs(atMost count: Int) -> [[Int]] {
        let graphed = graphed
        guard count > 0, graphed.contains(where: { rows[$0].isPlottable }) else { return [] }
        guard plotted.isEmpty, let first = graphed.first else {
            var byUnit: [[Int]] = []
            for place in graphed {
                let of = byUnit.firstIndex { rows[$0[0]].unit == rows[place].unit }
                if let of { byUnit[of].append(place) } else { byUnit.append([place]) }
            }
            return byUnit.count <= count ? byUnit : [graphed]
        }
        let next = shown.filter { $0 != first && rows[$0].isPlottable && rows[$0].scale != nil }
        return ([first] + next).prefix(count).map { [$0] }
    }

    /// The result of adding a signal to the graph or removing it.
    package enum Plotting: Hashable, Sendable {
        case added, removed, full
    }

    /// Adds the selected signal to the graph or removes it; nil = none is selected.
    package mutating func togglePlotted() -> Plotting? {
        guard let cursor, rows.indices.contains(cursor) else { return nil }
        let key = Key(rows[cursor])
        if let place = plotted.firstIndex(of: key) {
            plotted.remove(at: place)
            return .removed
        }
        guard plotted.count < Self.mostPlotted else { return .full }
        plotted.append(key)
        return .added
    }

    /// The position of a row's signal in the graph; nil = it is not in the graph.
    package func plotPlace(of row: Row) -> Int? { plotted.firstIndex(of: Key(row)) }

    /// Shows a longer or shorter time in graphs.
    package mutating func zoom(by step: Int, at now: Instant) {
        chosenWindow = max(0, min(Self.windows.count - 1, window(at: now) + step))
    }

    /// The time that graphs show: the selected one, else enough for all data.
    package func graphWindow(at now: Instant) -> Duration { Self.windows[window(at: now)] }

    private func window(at now: Instant) -> Int {
        let elapsed = now - start
        return chosenWindow ?? Self.windows.firstIndex { $0 >= elapsed } ?? Self.windows.count - 1
    }
}
