"""`python -m logdoctor`."""

from logdoctor.cli.main import program as main

if __name__ == "__main__":
    main()
