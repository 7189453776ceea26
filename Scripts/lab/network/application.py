"""An application for gunicorn that responds before it has read the body. LAB_LOG gets a line "id status" for each
request."""

import os


def application(environ, start_response):
    with open(os.environ["LAB_LOG"], "a", encoding="utf-8") as log:
        log.write(f"{environ.get('HTTP_X_REQUEST_ID', '-')} 200\n")
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "3")])
    return [b"ok\n"]
