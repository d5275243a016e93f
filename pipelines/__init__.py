"""What happens to a notice, one verb a module, in the order of ``tenderscrapy.settings``."""
