extension LogReport: CustomStringConvertible {
    /// The default text form: `<<<===NodeName===>>>`, then the message's lines; at last the logger's own line with the
    /// run's end. Empty when the filter leaves nothing to show.
    public var description: String {
        text(colors: false)
    }

    /// The default text form, with the colours of a terminal or without.
    func text(colors: Bool) -> String {
        var text = ""
        for log in shown {
            text += colors ? log.level.color : ""
            text += "<<<===\(log.id)===>>>"
            text += colors ? "\(LogLevel.plain)\n" : "\n"
            let message = log.message
            text += message.hasSuffix("\n") ? message : message + "\n"
        }
        return text
    }
}

extension LogLevel {
    static let plain = "\u{1B}[0m"

    /// The escape sequence that starts the level's colour on a terminal (ECMA-48, select graphic rendition).
    var color: String {
        switch self {
        case .trace, .debug: "\u{1B}[2m"
        case .info: "\u{1B}[36m"
        case .warning: "\u{1B}[33m"
        case .error: "\u{1B}[31m"
        }
    }
}

extension Duration {
    /// In milliseconds with one digit after the point, as `12.3 ms`.
    var inMilliseconds: String {
        let tenths = Int64((self / .microseconds(100)).rounded())
        return "\(tenths / 10).\(abs(tenths % 10)) ms"
    }
}
