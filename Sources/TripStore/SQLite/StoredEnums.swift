import Diagnostics

// Enumerations that are stored by their raw values.

extension CodeReport.Kind: TextColumn {}
extension MonitorStatus.Scope: TextColumn {}
extension MonitorStatus.Monitor: TextColumn {}
extension TripEvent.Kind: TextColumn {}
extension TripStart.Purpose: TextColumn {}
extension EndReason: TextColumn {}
extension TripEdit.Action: TextColumn {}
extension TripTail.Table: TextColumn {}
