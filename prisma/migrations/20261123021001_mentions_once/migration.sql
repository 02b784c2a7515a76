-- What mentions something is noted there once.
CREATE UNIQUE INDEX CONCURRENTLY "notes_subject_type_subject_id_mention_key" ON "notes"("subject_type", "subject_id", "mention");
