"""What Kubernetes prints."""

from logdoctor.formats.rows import DATE_TIME, ZONE, FileName, Format, transport

FORMAT = Format(
    "kubernetes",
    carriers=(
        transport(
            "kubelet (CRI)",
            "0",
            " std",
            rf"(?P<time>{DATE_TIME}{ZONE}) (?:stdout|stderr) [FP](?: |$)",
            "2019-04-30T02:12:41.8443515Z stdout F text",
        ),
        transport(
            "kubectl --prefix",
            "[a",
            "[pod/",
            r"\[pod/(?P<actor>[^\]/]+)/[^\]]+\](?: |$)",
            "[pod/trainer-0/main] text",
        ),
    ),
    file_names=(
        FileName(
            "kubelet",
            ("/containers/",),
            r"/containers/(?P<actor>[a-z0-9.-]+)_[a-z0-9.-]+_[a-z0-9.-]+-[0-9a-f]{12,}\.log",
            "/var/log/containers/trainer-0_default_main-0123456789ab.log",
        ),
    ),
)
