-- The events of an issue, which change their kind with it.
CREATE INDEX CONCURRENTLY "events_target_type_target_id_idx" ON "events"("target_type", "target_id");
