"""Types of arguments for argparse."""

import argparse
import re


def whole_number(text):
    if not re.fullmatch("[1-9][0-9]{0,17}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)
