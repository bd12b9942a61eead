/// One of the two numbers of a position that the vehicle itself reports.
package struct PositionPart: Hashable, Sendable {
    package var isLatitude: Bool
    package var isInDegrees: Bool
}

extension Signal {
    /// The part of a position that the signal is; nil for every other signal.
    ///
    /// One of its names has the word, or is short for it and the unit is degrees.
    package var positionPart: PositionPart? {
        let isInDegrees = ["°", "deg", "degree", "degrees"].contains(unit.lowercased())
        for text in [id, name] + aliases {
            let name = text.lowercased()
            let words = name.split { !$0.isLetter }
            for (isLatitude, whole, short) in [
                (true, "latitude", ["lat"]), (false, "longitude", ["lon", "long", "lng"]),
            ]
            where name.contains(whole)
                || isInDegrees && words.contains(where: { short.contains(String($0)) })
            {
                return PositionPart(isLatitude: isLatitude, isInDegrees: isInDegrees)
            }
        }
        return nil
    }
}
