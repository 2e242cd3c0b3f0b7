"""Eight controls over the canonical stream, one file each; they read events and objects, nothing else."""
