"""The egg that scrapyd runs: core, spiders and pipelines with their data files, no tests.

scrapyd does not install an egg's requirements; its image installs requirements.txt.
"""

from setuptools import find_packages, setup

setup(
    name="tenderscrapy",
    version="0.1.0",
    description="A tender radar over official procurement sources",
    license="MIT",
    python_requires=">=3.11",
    packages=find_packages(include=["tenderscrapy*", "spiders*", "pipelines*"]),
    package_data={
        "tenderscrapy": ["**/*.sql", "**/*.yaml", "**/*.json"],
        "spiders": ["sample_data/**/*"],
    },
    zip_safe=True,  # data files are read with importlib.resources, so scrapyd may leave it zipped
    entry_points={"scrapy": ["settings = tenderscrapy.settings"]},
)
