"""What goes along with a crawl: its run, its batches, its files, its progress."""
