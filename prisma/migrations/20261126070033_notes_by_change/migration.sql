-- Notes of a record are listed by when they were changed.
CREATE INDEX CONCURRENTLY "notes_subject_type_subject_id_updated_at_id_idx" ON "notes" ("subject_type", "subject_id", "updated_at", "id");
