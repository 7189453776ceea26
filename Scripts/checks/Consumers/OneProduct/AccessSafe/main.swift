import AccessSafe

// Nodes come from NodeCore, which this product brings along; a program that makes its own depends on it as well.
let refresher = TokenRefresherNode(limits: RefreshLimits(refreshes: 1)) {}
try await refresher.process().value
print("AccessSafe: refreshed")
