"""Records of an interaction: views, recordings, transcripts, files and diagrams."""
