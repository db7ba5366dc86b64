"""A bot in plain Python that needs no package: it plays the first legal action."""

import json
import sys

position = None
for line in sys.stdin:
    command, _, rest = line.strip().partition(" ")
    if command == "carc":
        print("id name first answer")
        print("ready")
    elif command == "isready":
        print("readyok")
    elif command == "position":
        position = json.loads(rest)
    elif command == "go" and position is None:
        print("error no position yet")
    elif command == "go":
        print(f"info {len(position['moves'])} actions were played, {len(position['legal'])} are legal now")
        print("best", position["legal"][0])
    elif command == "quit":
        break
    elif command:
        print("error unknown command", command)
    sys.stdout.flush()
