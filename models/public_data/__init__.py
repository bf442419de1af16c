"""Facts by entity from public tables (db3, section 2.3): what task 1 has in place of the KG."""
