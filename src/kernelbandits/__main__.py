"""`python -m kernelbandits` is the command `kernelbandits`."""

from kernelbandits.cli import main

if __name__ == "__main__":
    main()
