import HttpCaching

print(HttpCacheSession.anonymous.hasCredentials)
