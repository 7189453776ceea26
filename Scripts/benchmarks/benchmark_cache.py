"""Runs a program with the address of an nginx and its own arguments: benchmark_cache.py PROGRAM ARGUMENT…"""

import subprocess
import sys

from benchmark_server import Nginx

nginx = Nginx()
try:
    sys.exit(subprocess.run([sys.argv[1], nginx.http, *sys.argv[2:]]).returncode)
finally:
    nginx.stop()
