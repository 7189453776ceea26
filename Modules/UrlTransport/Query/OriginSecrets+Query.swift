import HttpMessages

extension OriginSecrets {
    /// Whether a query value is a secret, or contains one.
    package func contains(parameter name: String, _ value: QueryValue) -> Bool {
        switch value {
        case .array(let elements): elements.contains { contains(parameter: name, $0) }
        case .dictionary(let members):
            contains(parameter: name, isNumber: false)
                || members.contains { contains(parameter: "\(name)[\($0.key)]", $0.value) }
        case .number: contains(parameter: name, isNumber: true)
        default: contains(parameter: name, isNumber: false)
        }
    }
}
