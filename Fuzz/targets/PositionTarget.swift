import OBDCore
import TripRecorder

/// Data from a receiver or gpsd: the split must not matter, and each fix must be a place on earth.
func readPositions(_ input: [UInt8]) {
    var cutter = Cutter(input)
    let cut = Int(cutter.byte())
    let bytes = cutter.rest()
    var whole: [Fix] = []
    var reader = NMEAReader()
    reader.take(bytes, at: .zero, &whole)
    reader.finish(&whole)
    var pieces: [Fix] = []
    var other = NMEAReader()
    other.take(bytes.prefix(cut), at: .zero, &pieces)
    other.take(bytes.dropFirst(cut), at: .zero, &pieces)
    other.finish(&pieces)
    require(whole == pieces, "a split changes the fixes")
    require(reader.damaged == other.damaged, "a split changes what is damaged")
    var news: [GPSDReader.News] = []
    var daemon = GPSDReader()
    daemon.take(bytes, at: .zero, &news)
    var newsOfPieces: [GPSDReader.News] = []
    var otherDaemon = GPSDReader()
    otherDaemon.take(bytes.prefix(cut), at: .zero, &newsOfPieces)
    otherDaemon.take(bytes.dropFirst(cut), at: .zero, &newsOfPieces)
    require(news == newsOfPieces, "a split changes the news")
    var fresh = FreshFixes()
    for case .fix(let fix) in whole.map({ GPSDReader.News.fix($0) }) + news {
        require(
            abs(fix.position.latitude) <= 90 && abs(fix.position.longitude) <= 180,
            "no place on earth")
        require(fix.position.speed.map { $0 >= 0 } ?? true, "a speed below 0")
        require(fix.position.course.map { (0..<360).contains($0) } ?? true, "no course")
        require(fix.position.altitude.map(\.isFinite) ?? true, "no altitude")
        _ = fresh.judge(fix)
    }
}
