"""Runs statements on the PyPI package chdb-core: `python pypi-engine.py FOLDER`.

Each line of the standard input is a JSON string of SQL; the line that answers it is {"base64": ...} or {"error": ...}.
"""

import base64
import ctypes
import json
import os
import signal
import sys

# SIGKILL of the bridge is a crash of ClickHouse, so this process dies with it.
PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

# An INSERT of the library also reads rows from the standard input, and would take the next statements for rows.
statements = os.fdopen(os.dup(0), "r")
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
# What the library prints is no answer.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import chdb  # noqa: E402

connection = chdb.connect(sys.argv[1])
for line in statements:
    try:
        result = connection.query(json.loads(line), "TabSeparated")
        answer = {"base64": base64.b64encode(result.bytes()).decode()}
    except Exception as error:
        answer = {"error": str(error)}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
