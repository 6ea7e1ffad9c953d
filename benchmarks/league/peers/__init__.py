"""Methods of other libraries as policies, so that they play the same rounds; each library is imported when it plays."""


def is_due(n_rewards: int, n_fitted: int, least: int = 1) -> bool:
    """Whether a batch learner fits again, given how many rewards its last fit had (0: none yet).

    It does so once it has a fifth more: often enough, at a cost in proportion to one fit.
    """
    return n_rewards >= max(least, 1.2 * n_fitted) and n_rewards > n_fitted
