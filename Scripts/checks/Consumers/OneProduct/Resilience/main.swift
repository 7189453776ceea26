import Resilience

let limit = RateLimit(50, per: .seconds(1), burst: 10, following: .rateLimitFields)
print(limit.waiting, ConcurrencyLimit(8).inProgress)
