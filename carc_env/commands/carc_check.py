"""The command `carc check`, which checks files."""

import argparse
import json

from carc_env.commands.shared import Command, complain
from carc_env.common.exit_status import FAILED, GOOD, WRONG_USAGE


def add(command: Command) -> None:
    """Add `carc check`."""
    check = command(
        "check",
        run,
        "check files. A file can contain game records, a configuration, the description of a box or of a map sheet, or "
        "the heuristic weights of a bot. The type of the file is detected from its content",
        "the results",
    )
    check.add_argument("files", metavar="FILE", nargs="+", help="a TOML file, or a file with one JSON object per line")
    check.add_argument(
        "--picture",
        metavar="OUT",
        help="save a drawing of a single FILE as OUT.svg or OUT.png. For a map sheet, the drawing shows the "
        "sheet. For a configuration, it shows the start of a game. For game records, it shows the last position",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run `carc check`. After a file with an error, the remaining files are still checked."""
    from carc_env.arena.check_files import check_file, save_picture
    from carc_env.common.errors import FileError
    from carc_env.render import picture_kind

    if arguments.picture is not None:
        if len(arguments.files) > 1:
            return complain("--picture draws one file, but several are given", WRONG_USAGE)
        picture_kind(arguments.picture)
    status, found = GOOD, []
    for path in arguments.files:
        try:
            checked = check_file(path)
            if arguments.picture is not None:
                save_picture(checked, arguments.picture)
        except FileError as error:
            status = complain(error, FAILED)
            found.append({"file": path, "good": False, "error": str(error)})
        else:
            found.append({"file": path, "good": True, "kind": checked.kind, "summary": checked.summary})
            if not arguments.json:
                print(f"{path}: {checked.summary}" + (f"\n\n{checked.letters}\n" if checked.letters else ""))
    if arguments.json:
        print(json.dumps(found))
    return status
