/// The voltages of the cells of a battery.
struct CellWatch: Sendable {
    /// Below and above, and in frost, all cells spread; unit: % and °C.
    private static let charges = 20.0...80.0
    private static let coldest = 5.0
    /// A current below is rest, if it lasts; unit: A.
    private static let restCurrent = 2.0
    private static let shortestRest: Int64 = 30_000_000
    /// Readings further apart are not of one moment; unit: µs.
    private static let nearest: Int64 = 1_000_000
    private static let fewest = 30.0

    private var highest: (t: Int64, value: Double)?
    private var flow: (t: Int64, current: Double)?
    private var restSince: Int64?
    private var charge: Double?
    private var temperature: Double?
    /// The number of readings at rest by spread in mV.
    private var atRest: [Int: Int] = [:]
    private var step: Double?
    private var lastSpread: Double?
    // Sums of spread (mV) over current without its sign (A).
    private var count = 0.0
    private var x = 0.0
    private var y = 0.0
    private var xx = 0.0
    private var xy = 0.0
    private var yy = 0.0
    private var largestCurrent = 0.0
    private var lowest: [Int: Int] = [:]
    private var lowestCount = 0
    private var pending: Double?

    mutating func take(_ moment: BatteryMoment, current: Double) {
        flow = (moment.t, current)
        if abs(current) > Self.restCurrent {
            restSince = nil
        } else if restSince == nil {
            restSince = moment.t
        }
    }

    mutating func take(_ value: Double, _ quantity: BatteryQuantity, t: Int64) {
        switch quantity {
        case .charge: charge = value
        case .temperature: temperature = value
        case .cellHighest where value > 0.5: highest = (t, value)
        case .cellLowest where value > 0.5: takeLowest(value, t: t)
        case .lowestCell: takeNumber(value)
        default: break
        }
    }

    private mutating func takeLowest(_ value: Double, t: Int64) {
        pending = nil
        guard let highest, abs(t &- highest.t) <= Self.nearest, highest.value >= value,
            let charge, Self.charges.contains(charge), (temperature ?? 20) >= Self.coldest
        else { return }
        let spread = ((highest.value - value) * 1000).rounded()
        if let lastSpread, lastSpread != spread {
            step = min(step ?? .infinity, abs(spread - lastSpread))
        }
        lastSpread = spread
        pending = spread
        guard let flow, abs(t &- flow.t) <= Self.nearest else { return }
        if let restSince, t &- restSince >= Self.shortestRest {
            atRest[Int(min(spread, 10_000)), default: 0] += 1
        }
        let current = abs(flow.current)
        count += 1
        x += current
        y += spread
        xx += current * current
        xy += current * spread
        yy += spread * spread
        largestCurrent = max(largestCurrent, current)
    }

    /// Counts the lowest cell where it differs by more than one step: among equal cells the number says nothing.
    private mutating func takeNumber(_ value: Double) {
        guard let spread = pending, let number = Int(exactly: value), number >= 0 else { return }
        pending = nil
        guard let step, spread > step else { return }
        lowest[number, default: 0] += 1
        lowestCount += 1
    }

    /// The cells of a trip; nil without a spread between 20 and 80 %.
    var result: BatteryUse.Cells? {
        guard count > 0 else { return nil }
        var cells = BatteryUse.Cells(step: step)
        let rests = atRest.values.reduce(0, +)
        if Double(rests) >= Self.fewest {
            cells.restCount = rests
            var passed = 0
            for (spread, number) in atRest.sorted(by: { $0.key < $1.key }) {
                passed += number
                if 2 * passed >= rests {
                    cells.rest = Double(spread)
                    break
                }
            }
        }
        let sxx = xx - x * x / count
        if count >= Self.fewest, largestCurrent >= 50, sxx > 0 {
            let sxy = xy - x * y / count
            let slope = sxy / sxx
            let squares = max(0, yy - y * y / count - slope * sxy)
            let deviation = (squares / (count - 2) / sxx).squareRoot()
            // mV per A are mΩ.
            cells.slope = Estimated(slope, deviation)
            let mean = x / count
            cells.intercept = Estimated(
                y / count - slope * mean,
                (squares / (count - 2) * (1 / count + mean * mean / sxx)).squareRoot())
        }
        if Double(lowestCount) >= Self.fewest,
            let most = lowest.max(by: { ($0.value, -$0.key) < ($1.value, -$1.key) })
        {
            let share = Double(most.value) / Double(lowestCount)
            cells.lowestShare = share
            cells.lowestCount = lowestCount
            if share >= 0.8 { cells.weakest = most.key }
        }
        return cells
    }
}
