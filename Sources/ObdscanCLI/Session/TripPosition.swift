import OBDCore
import Positioning

/// A position of a trip.
typealias TripPosition = Position

extension Position {
    /// A receiver's fix.
    init?(_ fix: Fix) { self = fix.position }
}
