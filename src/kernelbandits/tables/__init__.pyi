from .categories import sparse_one_hot as sparse_one_hot
from .columns import first as first, numbers_in as numbers_in, place as place, refuse_gaps as refuse_gaps, some as some
from .components import sparse_components as sparse_components
from .csv_files import TextBlock as TextBlock, read_blocks as read_blocks
from .digests import content_digest as content_digest
from .encoder import Encoder as Encoder
from .encoding import Encoding as Encoding
from .files import frame_of as frame_of, read_frame as read_frame, refuse_empty as refuse_empty, sampled as sampled
from .labels import Labels as Labels, read_labels as read_labels, refuse_labels as refuse_labels
from .scaling import (
    LEVEL as LEVEL,
    CommonUnit as CommonUnit,
    Scaling as Scaling,
    UnitVariance as UnitVariance,
    moments as moments,
)
from .scans import Block as Block, Scan as Scan, scan as scan
