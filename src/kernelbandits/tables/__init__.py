"""Tables: read from a file, in memory or by blocks, and encoded as points.

`__init__.pyi` lists the exports. A module is loaded when one of its names is first used, so that specs such as
`Encoding` can be imported without polars.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
