import ArgumentParser
import Settings

extension LiftedLimit: ExpressibleByArgument where Limit: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) { Limit(argument: $0) } }
}
