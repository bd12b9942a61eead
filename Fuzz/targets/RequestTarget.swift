import OBDCore
import WebServer

/// The request of a browser or an attacker.
///
/// The split must not matter, and an admitted request must not lead outside the defined paths.
func readRequest(_ input: [UInt8]) {
    var cutter = Cutter(input)
    let cut = Int(cutter.byte())
    let bytes = cutter.rest()
    var whole = RequestReader()
    let head = Result { try whole.take(bytes) }
    var pieces = RequestReader()
    var other = Result { try pieces.take(bytes.prefix(cut)) }
    if case .success(nil) = other { other = Result { try pieces.take(bytes.dropFirst(cut)) } }
    require((try? head.get()) == (try? other.get()), "a split changes the request")
    guard case .success(let found?) = head else { return }
    for segment in found.path {
        require(segment != ".." && segment != "." && !segment.contains("/"), "a way out")
    }
    let rules = AccessRules(
        isLoopback: true, names: [], token: AccessToken(random: Array(1...16)), cookie: "obdscan")
    require(rules.verdict(found) != .allowed, "somebody guessed the token")
    var answer = ResponseHead(.ok, "text/plain")
    answer.fields = found.fields.map { ("X-Echo", $0.value) }
    let written = answer.bytes(.length(0), date: UTC(microseconds: 0))
    let lines = String(decoding: written, as: UTF8.self).split(separator: "\r\n")
    require(
        lines.filter { $0.hasPrefix("X-Echo: ") }.count == found.fields.count,
        "a field that is another line")
}
