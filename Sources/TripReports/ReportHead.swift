/// The head of a report: customer, workshop and facts that the vehicle does not report.
public struct ReportHead: Hashable, Sendable {
    /// The customer: a name, an order, or any other text.
    public var customer: String?
    /// The workshop, line by line: name, address, telephone.
    public var workshop: [String]
    /// Make, model year and country from the VIN; nil = unknown.
    public var make: String?
    /// Unit: km.
    public var odometer: Double?
    /// The user's name for the vehicle, such as its place in the yard.
    public var label: String?

    /// A head; it is empty by default.
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
