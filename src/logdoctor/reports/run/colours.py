"""The few colours of a report, as terminals take them (ECMA-48, SGR)."""

_FOREGROUNDS = {
    "red": 31,
    "green": 32,
    "yellow": 33,
    "magenta": 35,
    "cyan": 36,
    "bright_white": 97,
}


def styled(text: str, colour: str | None = None, *, bold: bool = False, dim: bool = False) -> str:
    """The text between what switches its style on and what switches all styles off.

    It stands here because click's own is worth 30 ms of imports, a third of a small scan.

    Raises:
        KeyError: a colour that reports do not use.
    """
    codes = [_FOREGROUNDS[colour]] if colour else []
    codes += [1] * bold + [2] * dim
    switches = "".join(f"\x1b[{code}m" for code in codes)
    return f"{switches}{text}\x1b[0m" if switches else text
