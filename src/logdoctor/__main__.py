"""`python -m logdoctor`."""

from logdoctor.cli.main import main

if __name__ == "__main__":
    main()
