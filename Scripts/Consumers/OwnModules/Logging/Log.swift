public func write(_ text: String) { print(text) }
