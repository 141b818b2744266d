"""The reference interpreter: runs any valid program, one run at a time, slowly and plainly."""
