"""What is kept of an interaction: views, recordings, transcripts, files and diagrams."""
