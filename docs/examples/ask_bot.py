"""A client in plain Python that needs no package: it sends each position on standard input to a bot, and prints the
bot's actions. Run it as `python ask_bot.py carc bot greedy < positions.jsonl`.
"""

import subprocess
import sys


class Bot:
    """A running program that speaks the bot protocol."""

    def __init__(self, words: list[str]):
        self.program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.send("carc")
        self.wait_for("ready")

    def choose(self, position: str) -> str:
        """Return the action of the bot. Raises ValueError if the bot rejects the position, or has no action."""
        self.send(f"position {position}", "isready")
        self.wait_for("readyok")  # an error before this line belongs to the position
        self.send("go")
        return self.wait_for("best", "error")

    def send(self, *lines: str) -> None:
        """Send lines to the program."""
        self.program.stdin.write("".join(f"{line}\n" for line in lines))
        self.program.stdin.flush()

    def wait_for(self, *replies: str) -> str:
        """Read up to a line that begins with one of `replies`, and return the rest of this line. Raises ValueError if
        the program wrote an error, or ended.
        """
        reason = None
        for line in self.program.stdout:
            word, _, rest = line.strip().partition(" ")
            if word == "error":
                reason = rest
            if word in replies:
                if reason is not None:
                    raise ValueError(reason)
                return rest
        raise ValueError("the program has ended")


if __name__ == "__main__":
    bot = Bot(sys.argv[1:])
    for position in sys.stdin:
        try:
            print(bot.choose(position.strip()), flush=True)
        except ValueError as error:
            print("error", error, flush=True)
