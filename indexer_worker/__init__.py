"""Turns changed tenders into text chunks with words and vectors that search can use."""
