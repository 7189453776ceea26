import Logging
package import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Observer where Value == HttpResponse {
    /// Tells the chain's log that a redirect is followed. Called by the sender, when it happens: a request that isn't
    /// redirected costs nothing. A sender doesn't know the node that asked, so the id is fixed: that of the default
    /// chain's, also where a subclass with a name of its own sends.
    package func noteRedirect(_ status: Int, to next: HttpRequest) {
        guard let journal else { return }
        var details = next.logDetails
        details.status = status
        journal.append(
            Log(id: "RequestSenderNode", kind: .redirect, details: details) { [next = next.line] redaction in
                "status \(status), redirected to \(next(redaction))"
            })
    }
}
