import Formats

/// The head of a report: customer, workshop and facts that the vehicle does not report.
package struct ReportHead: Hashable, Sendable {
    /// The customer: a name, an order, or any other text.
    package var customer: String?
    /// The number plate.
    package var plate: String?
    /// The number of the order.
    package var order: String?
    /// Who examined the vehicle.
    package var technician: String?
    /// The workshop, line by line: name, address, telephone.
    package var workshop: [String]
    /// The workshop's logo.
    package var logo: PageLogo?
    /// Make, model year and country from the VIN; nil = unknown.
    package var make: String?
    /// Unit: km.
    package var odometer: Double?
    /// The label of this reading, such as the vehicle's place in the yard.
    package var label: String?
    /// The vehicle's name in the database.
    package var name: String?

    /// A head; it is empty by default.
    package init(
        customer: String? = nil, workshop: [String] = [], make: String? = nil,
        odometer: Double? = nil
    ) {
        self.customer = customer
        self.workshop = workshop
        self.make = make
        self.odometer = odometer
    }

    /// Whether a workshop makes the report for its customer, with fields to fill in by hand.
    var isOfWorkshop: Bool { !workshop.isEmpty || logo != nil }
}
