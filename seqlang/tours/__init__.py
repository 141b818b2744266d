"""The guided tours, and what they share: `python -m seqlang.tours` lists them, `python -m seqlang.tours NAME` runs one.

A tour is a script in the folder `examples` of the checkout, or of the installed package. Each explains itself with
`--help`. Those that read data say which and where to get them, and end with exit code 2 where they are not found."""

from seqlang.tours.shared import asked as asked
from seqlang.tours.shared import between as between
from seqlang.tours.shared import data_file as data_file
from seqlang.tours.shared import drawing as drawing
from seqlang.tours.shared import mean_of as mean_of
from seqlang.tours.shared import progress as progress
from seqlang.tours.shared import sorry as sorry
