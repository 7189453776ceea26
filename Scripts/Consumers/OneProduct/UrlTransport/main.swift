import UrlTransport

print("UrlTransport")
