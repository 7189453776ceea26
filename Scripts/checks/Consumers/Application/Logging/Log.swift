/// The application's own log.
public func write(_ text: String) {
    print(text)
}
