"""Where units are computed: here, in processes of this machine, or on a cluster."""
