"""Regression with kernels: an estimator is fitted to data and returns a predictor.

`__init__.pyi` lists the exports. A module is loaded when one of its names is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
