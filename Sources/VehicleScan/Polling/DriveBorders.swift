import Diagnostics
import OBDCore
import ScanSession

/// Finds the borders between the drives of a session in its events: a value without a clock.
///
/// A drive ends if the vehicle is left alone, if the link has been lost for long, or if no ECU answers after a lost
/// link. The time without a link then counts as silence, because nothing shows that the vehicle was on. A link that
/// returns to a vehicle that answers ends no drive, unless it was lost for long.
package struct DriveBorders: Sendable {
    /// The border that is looked for.
    package enum Border: Hashable, Sendable {
        /// The vehicle is left alone, the link has been lost for the time `lost`, or since the link was lost no ECU
        /// has answered for the time `silent`.
        case end(lost: Duration, silent: Duration)
        /// The vehicle is on again, or the link is back.
        case beginning
    }

    /// The border; nil = none is looked for.
    package var border: Border?
    /// Since when the vehicle cannot be asked: the link is lost, or the set-up of the adapter fails; nil = it can.
    private var absent: Instant?
    /// Whether the adapter has said since that no ECU answers.
    private var isUnanswered = false
    /// Whether the link was lost since the last drive.
    private var wasLost = false
    private var isResting = false

    /// No border is looked for.
    package init() {}

    /// When the lost link ends the drive; nil = never.
    package var deadline: Instant? {
        guard case .end(let limit, _) = border else { return nil }
        return absent.map { $0 + limit }
    }

    /// The end of the drive, if the link has been lost for long enough at `now`.
    package func end(by now: Instant) -> PollLoop.End? {
        guard let absent, let deadline, now >= deadline else { return nil }
        return .linkStaysLost(since: absent)
    }

    /// The end of a drive that was over before this event, which belongs to the next drive; nil = it was not.
    package func end(before event: ScanEvent, at time: Instant) -> PollLoop.End? {
        guard case .toolDidInitialize = event else { return nil }
        return end(by: time) ?? silence(by: time)
    }

    /// Takes an event; returns the border that it is, if any.
    ///
    /// - Parameter isNameless: whether nothing is known yet that tells the vehicle from the next one.
    package mutating func take(
        _ event: ScanEvent, at time: Instant, isNameless: Bool
    ) -> PollLoop.End? {
        switch event {
        case .scanDidRest(let rest):
            isResting = true
            wasLost = absent != nil || isNameless
            guard case .end = border else { return nil }
            return .vehicleRests(rest)
        case .scanDidWake: isResting = false
        case .toolDidDisconnect(_?):
            absent = absent ?? time
            wasLost = true
            return nil
        case .toolDidFailToInitialize(let failure):
            absent = absent ?? time
            guard case .noVehicle = failure else { return nil }
            isUnanswered = true
            guard let end = silence(by: time) else { return nil }
            wasLost = true
            return end
        case .toolDidInitialize: (absent, isUnanswered) = (nil, false)
        case .didLoseEvents: wasLost = true
        default: return nil
        }
        guard border == .beginning, !isResting, absent == nil else { return nil }
        return .vehicleIsOn(time, afterLoss: wasLost)
    }

    /// The end of a drive whose vehicle has been silent since the link was lost.
    private func silence(by now: Instant) -> PollLoop.End? {
        guard case .end(_, let limit) = border, isUnanswered, let absent, now - absent >= limit
        else { return nil }
        return .vehicleStaysSilent(since: absent)
    }
}
