/// The number of letters to insert, remove, replace or swap with their neighbour; `bound + 1` if it is
/// larger.
public func editDistance(_ left: [UInt8], _ right: [UInt8], bound: Int) -> Int {
    if abs(left.count - right.count) > bound { return bound + 1 }
    var before: [Int] = []
    var previous = Array(0...right.count)
    for (row, letter) in left.enumerated() {
        var current = [row + 1]
        for (column, other) in right.enumerated() {
            var best = min(
                previous[column] + (letter == other ? 0 : 1), previous[column + 1] + 1,
                current[column] + 1)
            if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                best = min(best, before[column - 1] + 1)
            }
            current.append(best)
        }
        (before, previous) = (previous, current)
    }
    return min(previous[right.count], bound + 1)
}

/// The name with the smallest typing error, or else the only one that begins like `word`; nil if there is
/// none.
public func nearestName(to word: String, among names: [String]) -> String? {
    let wanted = Array(word.lowercased().utf8)
    let bound = wanted.count < 4 ? 1 : 2
    let found = names.map { name in
        (name: name, distance: editDistance(Array(name.lowercased().utf8), wanted, bound: bound))
    }
    let near = found.filter { $0.distance <= bound }.min { $0.distance < $1.distance }?.name
    if let near { return near }
    let longer = names.filter { wanted.count > 1 && $0.lowercased().utf8.starts(with: wanted) }
    return longer.count == 1 ? longer[0] : nil
}
