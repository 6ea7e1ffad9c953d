"""The paper's Avazu study: ten arms of ads, contexts from held-out impressions, rewards from fitted oracles."""

from kernelbandits.environments.avazu.environment import Avazu, AvazuDesign, AvazuStandIn

__all__ = ["Avazu", "AvazuDesign", "AvazuStandIn"]
