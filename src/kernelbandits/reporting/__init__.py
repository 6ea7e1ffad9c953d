"""Documents of sections for a terminal, a page or JSON; charts, progress, files. Only this room draws or prints.

`__init__.pyi` says what is exported; a module is loaded when one of its names is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
