-- Notes and threads of a record are listed by when they were written.
CREATE INDEX CONCURRENTLY "notes_subject_type_subject_id_created_at_id_idx" ON "notes" ("subject_type", "subject_id", "created_at", "id");
