from .columns import (
    arm_codes as arm_codes,
    first as first,
    numbers_in as numbers_in,
    place as place,
    probabilities_in as probabilities_in,
    read_labels as read_labels,
    refuse_gaps as refuse_gaps,
    refuse_labels as refuse_labels,
    refuse_unknown as refuse_unknown,
    some as some,
)
from .csv_files import TextBlock as TextBlock, read_blocks as read_blocks
from .digests import content_digest as content_digest
from .encoder import Encoder as Encoder, declared_encoder as declared_encoder
from .encoding import (
    UNEQUAL as UNEQUAL,
    CommonUnit as CommonUnit,
    Encoding as Encoding,
    Scaling as Scaling,
    UnitVariance as UnitVariance,
    moments as moments,
    scale_warning as scale_warning,
)
from .files import frame_of as frame_of, read_frame as read_frame
from .levels import level_texts as level_texts
from .sklearn_encoding import SklearnEncoder as SklearnEncoder, SklearnEncoding as SklearnEncoding
from .table_blocks import (
    Block as Block,
    RowBlocks as RowBlocks,
    Scan as Scan,
    row_blocks as row_blocks,
    scan as scan,
)
from .table_encoding import TableEncoder as TableEncoder, TableEncoding as TableEncoding
from .table_kinds import as_frame as as_frame
