-- Events about the notes on one record.
CREATE INDEX CONCURRENTLY "events_target_type_subject_id_idx" ON "events"("target_type", "subject_id") WHERE "subject_id" IS NOT NULL;
