extension ChainTrace {
    /// The run's events in the Trace Event Format, one JSON object each. The run has a separate track; log lines are
    /// marks on it, with their masked messages. Times are in microseconds since 1970.
    ///
    /// - Parameter run: the number of the run, unique within a file.
    func chromeEvents(run: Int) -> [String] {
        let lanes = (rows.map(\.lane).max() ?? 0) + 1
        // Tracks are numbered from 1, and a run's side lanes are next to it.
        func track(_ lane: Int) -> String { "\"pid\":1,\"tid\":\(run * 100 + lane + 1)" }
        let titles = (0..<lanes).map { lane in
            "{\"ph\":\"M\",\"name\":\"thread_name\",\(track(lane)),\"args\":{\"name\":\"run \(run + 1)\"}}"
        }
        let spans = rows.map { row in
            let end = row.end.map { ",\"end\":\(quoted($0))" } ?? ""
            return "{\"ph\":\"X\",\"cat\":\"node\",\"name\":\(quoted(row.name)),\(track(row.lane)),"
                + "\"ts\":\(time(row.offset)),\"dur\":\(microseconds(row.duration)),"
                + "\"args\":{\"own_ms\":\(row.own / .milliseconds(1))\(end)}}"
        }
        let marks = report.lines.map { line in
            "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"\(line.log.level)\",\"name\":\(quoted(line.log.id)),\(track(0)),"
                + "\"ts\":\(time(line.offset)),\"args\":{\"message\":\(quoted(line.log.message))}}"
        }
        return titles + spans + marks
    }

    private func time(_ offset: Duration) -> String {
        microseconds(.seconds(report.startTime) + offset)
    }

    /// In microseconds with three digits after the point.
    private func microseconds(_ duration: Duration) -> String {
        let parts = duration.components
        let nanoseconds = parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        let rest = String(nanoseconds % 1000)
        return "\(nanoseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }

    private func quoted(_ text: String) -> String {
        "\"\(String(decoding: LenientJsonString.encoded(Array(text.utf8)), as: UTF8.self))\""
    }
}
