"""Facts about entities from public tables (db3, section 2.3), which replace the KG in task 1."""
