/// What stands at the head of a report besides what the vehicle says: whom it is for and whose it is.
public struct ReportHead: Hashable, Sendable {
    /// Whom it is for: a name, an order, whatever its user likes.
    public var customer: String?
    /// Who made it, line by line: name, address, telephone.
    public var workshop: [String]
    /// Make, model year and country, as far as the VIN tells; nil = nothing.
    public var make: String?
    /// Unit: km.
    public var odometer: Double?

    /// A head; without more it is empty.
    public init(
        customer: String? = nil, workshop: [String] = [], make: String? = nil,
        odometer: Double? = nil
    ) {
        self.customer = customer
        self.workshop = workshop
        self.make = make
        self.odometer = odometer
    }
}
