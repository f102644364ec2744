"""Records of interactions: views, recordings, transcripts, files and diagrams."""
