/// `value` with exactly `decimals` digits after the point, rounded half away from zero.
///
/// The formatter does not use Foundation, which would need more start-up time than everything else here.
public func fixed(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite else { return value.isNaN ? "—" : (value < 0 ? "-∞" : "∞") }
    let places = max(0, min(decimals, 9))
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = (value * scale).rounded()
    guard abs(scaled) < 9e15 else { return String(value) }
    let number = Int64(scaled)
    let digits = String(number.magnitude)
    let sign = number < 0 ? "-" : ""
    guard places > 0 else { return sign + digits }
    var filled = Array(repeating: UInt8(ascii: "0"), count: max(0, places + 1 - digits.utf8.count))
    filled.append(contentsOf: digits.utf8)
    filled.insert(UInt8(ascii: "."), at: filled.count - places)
    return sign + String(decoding: filled, as: UTF8.self)
}

/// The number of decimals for people of a value with steps of `step`: 0 to 3.
public func decimals(forStep step: Double) -> Int {
    switch abs(step) {
    case 0.9999...: 0
    case 0.0999...: 1
    case 0.00999...: 2
    default: 3
    }
}

/// `value` with the decimals of its steps; if the step is 0, as of a floating point number, with the digits that
/// have a meaning.
public func numberText(_ value: Double, step: Double) -> String {
    step == 0 ? significantText(value) : fixed(value, decimals(forStep: step))
}

/// `value` with at most seven significant digits, as many as 32 bits hold: `0.4`, `14.2`, `1e20`, `1.5e-7`.
private func significantText(_ value: Double) -> String {
    guard value.isFinite, value != 0 else { return fixed(value, 0) }
    let digits = 7
    var (mantissa, exponent) = (abs(value), 0)
    while mantissa >= 10 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    while mantissa < 1 { (mantissa, exponent) = (mantissa * 10, exponent - 1) }
    if (-4..<15).contains(exponent) {
        return withoutEndZeros(fixed(value, max(0, digits - 1 - exponent)))
    }
    var text = withoutEndZeros(fixed(mantissa, digits - 1))
    if text == "10" { (text, exponent) = ("1", exponent + 1) }
    return (value < 0 ? "-" : "") + "\(text)e\(exponent)"
}

private func withoutEndZeros(_ text: String) -> String {
    guard text.contains(".") else { return text }
    var kept = text[...]
    while kept.last == "0" { kept.removeLast() }
    if kept.last == "." { kept.removeLast() }
    return String(kept)
}

/// `1834.2 s` as `30:34`, or `1:02:03` from one hour on.
public func clockText(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "—" }
    let all = Int(seconds)
    let two = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
    let hours = all / 3600
    let rest = two(all / 60 % 60) + ":" + two(all % 60)
    return hours > 0 ? "\(hours):\(rest)" : rest
}

/// A time span for people, in its two largest units: `8.4 s`, `12 s`, `2 min 30 s`, `1 h 2 min`.
///
/// - Parameter seconds: unit: s. A dash for a negative or infinite number.
public func durationText(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "—" }
    if seconds < 9.95 {
        let text = fixed(seconds, 1)
        return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " s"
    }
    let all = Int(seconds.rounded())
    if all < 60 { return "\(all) s" }
    // Each unit with the next smaller one; smaller parts are rounded.
    let minutes = all / 60
    if minutes < 60 { return pair(minutes, "min", all % 60, "s") }
    let rounded = (all + 30) / 60
    if rounded < 24 * 60 { return pair(rounded / 60, "h", rounded % 60, "min") }
    let hours = (all + 1800) / 3600
    return pair(hours / 24, "d", hours % 24, "h")
}

/// A value for people, with its unit: `1726.0 rpm`.
///
/// A time from one minute on is a time span: `187` and `min` give `3 h 7 min`.
public func quantityText(_ value: String, _ unit: String) -> String {
    let factor: Double? = unit == "s" ? 1 : unit == "min" ? 60 : nil
    if let factor, let number = Double(value), number * factor >= 60 {
        return durationText(number * factor)
    }
    return unit.isEmpty ? value : value + " " + unit
}

private func pair(_ large: Int, _ unit: String, _ small: Int, _ smaller: String) -> String {
    "\(large) \(unit)" + (small > 0 ? " \(small) \(smaller)" : "")
}

/// A number with the digits it has, at most six after the point: `215`, `99.21875`.
public func plain(_ value: Double) -> String {
    var text = fixed(value, 6)
    guard text.contains(".") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
}
