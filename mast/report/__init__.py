"""Reports: what runs and studies look like as values, DataFrames, Markdown and HTML, and the front door."""
