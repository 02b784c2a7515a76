-- Finds the records that an issue mentions.
CREATE INDEX CONCURRENTLY "notes_source_type_source_id_idx" ON "notes" ("source_type", "source_id");
