"""`python -m logdoctor`."""

from logdoctor.cli import main

if __name__ == "__main__":
    main()
