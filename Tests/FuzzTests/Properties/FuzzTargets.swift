/// What must hold for each kind of text from outside, whatever the text is: the properties that the tests check with
/// random inputs, and Scripts/fuzz.sh with those of libFuzzer. A property that doesn't hold ends the process.
let fuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
    "json": fuzzJson, "fast-models": fuzzFastModels, "redaction": fuzzRedaction, "har": fuzzHar,
    "curl": fuzzCurlCommand, "headers": fuzzHeaders,
    "dates": fuzzDates, "ranges": fuzzRanges, "retry-after": fuzzRetryAfter, "query": fuzzQuery, "urls": fuzzUrls,
    "url-text": fuzzUrlText, "multipart": fuzzMultipart, "challenges": fuzzChallenges,
    "events": fuzzEvents, "links": fuzzLinks,
    "lines": fuzzLines, "elements": fuzzElements,
    "cache-control": fuzzCacheControl, "cache-dates": fuzzCacheDates, "cache-policy": fuzzCachePolicy,
    "cache-entries": fuzzCacheEntries,
]

/// The property that must hold, and its name.
func require(_ condition: Bool, _ property: StaticString) {
    if !condition { preconditionFailure("\(property)") }
}

/// The input as text.
func text(_ input: UnsafeRawBufferPointer) -> String { String(decoding: input, as: UTF8.self) }

/// The input as several texts, which bytes 0 separate.
func texts(_ input: UnsafeRawBufferPointer) -> [String] {
    input.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
}
