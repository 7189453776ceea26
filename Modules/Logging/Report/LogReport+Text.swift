import NodeCore

extension LogReport: CustomStringConvertible {
    /// The default text form: `<<<===NodeName===>>>`, then the message's lines; finally the logger's own line with the
    /// run's result. Empty when the filter excludes everything. A line of a message that starts with `<<<===` or `=== `
    /// follows a space.
    public var description: String {
        text(colors: false)
    }

    /// The default text form, with the colors of a terminal or without.
    func text(colors: Bool) -> String {
        var text = ""
        for log in shown {
            text += colors ? log.level.color : ""
            text += "<<<===\(log.id)===>>>"
            text += colors ? "\(LogLevel.plain)\n" : "\n"
            let message = log.message.withoutControls.withoutLogMarks
            text += message.hasSuffix("\n") ? message : message + "\n"
        }
        return text
    }

    /// The run in a line, with secrets masked; nil if the filter doesn't show its result.
    var line: String? {
        var request = LastRequest()
        var cache: String?
        for log in gathered.compactMap({ LogReport.log(of: $0.entry) }) {
            request.add(log)
            if log.kind == .cache, log.level >= .info, log.unmasked.value != nil {
                cache = "(cache: \(log.masked(by: redaction).message))"
            }
        }
        let result = LogReport.log(of: end, more, duration: duration)
        guard filter.shows(result) else { return nil }
        let log = result.completed(by: request.details).masked(by: redaction)
        let details = log.details
        let attempt = details.attempt.flatMap { $0 > 1 ? "attempt \($0)" : nil }
        let parts = [details.method, details.url, details.status.map { "\($0)" }, cache, attempt, log.message]
        let text = parts.compactMap(\.self).joined(separator: " ").withoutControls
        return "\(WallClock.text(startTime)) \(text.split(whereSeparator: \.isNewline).joined(separator: " "))"
    }
}

extension String {
    /// The text with its control characters as escapes (`\u{1B}`), so that a server's text can't control the terminal
    /// that shows it. Tabs and line ends stay.
    var withoutControls: String {
        // 0xC2 leads U+0080…U+009F, which terminals obey too, among others.
        let isPlain = utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != 0xC2 || $0 == 0x0A || $0 == 0x09 }
        if isPlain { return self }
        var text = ""
        for (index, scalar) in zip(unicodeScalars.indices, unicodeScalars) {
            switch scalar {
            case "\n", "\t": text.unicodeScalars.append(scalar)
            case "\r" where unicodeScalars[unicodeScalars.index(after: index)...].first == "\n": break
            case "\0"..<" ", "\u{7F}"..."\u{9F}":
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The text with a space before each line that starts as the log's own lines do, so that a server's text can't
    /// imitate a block. U+2028 and U+2029 end a line, too: some viewers break there.
    fileprivate var withoutLogMarks: String {
        var text = ""
        // By scalars: `=` with a combining mark is one `Character`, but still `=` for a program that reads the log.
        var rest = unicodeScalars[...]
        while !rest.isEmpty {
            let lineEnd = rest.firstIndex { $0 == "\n" || $0 == "\u{2028}" || $0 == "\u{2029}" }
            let end = lineEnd.map { rest.index(after: $0) } ?? rest.endIndex
            let line = rest[..<end]
            if line.starts(with: "<<<===".unicodeScalars) || line.starts(with: "=== ".unicodeScalars) { text += " " }
            text.append(contentsOf: Substring(line))
            rest = rest[end...]
        }
        return text
    }
}

extension LogLevel {
    static let plain = "\u{1B}[0m"

    /// The escape sequence that starts the level's color on a terminal (ECMA-48, select graphic rendition).
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
    /// In milliseconds, rounded to one digit after the point, as `12.3 ms`.
    package var inMilliseconds: String {
        let tenths = Int64((self / .microseconds(100)).rounded())
        return "\(tenths / 10).\(abs(tenths % 10)) ms"
    }
}
