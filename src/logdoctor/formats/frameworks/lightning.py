"""What Lightning prints."""

from logdoctor.formats.rows import Format, MarkerKind, told, transport

FORMAT = Format(
    "lightning",
    markers=(
        *told(
            MarkerKind.WORLD,
            (
                r"\bGLOBAL_RANK: [0-9]+, MEMBER: [0-9]+/(?P<world>[0-9]{1,6})\b",
                "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/8",
            ),
        ),
    ),
    prefixes=(
        transport("Lightning", "[a", "[rank: ", r"\[rank: (?P<rank>\d+)\] ", "[rank: 2] text"),
    ),
)
