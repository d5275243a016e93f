"""The one way out to the network: what may be asked, how often, and how large an answer may be."""
