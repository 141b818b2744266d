"""One run on real data: a CSV file as the stream or the dataset."""

from seqlang.backends.interpret.data.run import DataRun, run_data

__all__ = ["DataRun", "run_data"]
