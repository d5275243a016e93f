"""What ``scrapy`` can do in this project, beside Scrapy's own commands."""
