"""From a source's document to a Notice; pure, one module a format."""
