/// A number of objects in words: `1 code`, `2 codes`, `0 codes`; the only plural in the texts of this
/// package.
///
/// - Parameter many: the plural, if it is not `thing` with an `s`.
public func counted(_ number: Int, _ thing: String, _ many: String? = nil) -> String {
    "\(number) " + (number == 1 ? thing : many ?? thing + "s")
}
