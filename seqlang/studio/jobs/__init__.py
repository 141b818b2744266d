"""What the page asks other processes to compute: functions from plain data to plain data, a file each."""
