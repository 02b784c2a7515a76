-- How far a job has come that writes the events of changes from before events were recorded, by their system notes. The first event
-- that was recorded may be a bit later than the note about it. A server without projects has no past.
CREATE TABLE "past_resource_events" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "last_note_id" INTEGER NOT NULL DEFAULT 0,
    "recorded_since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "past_resource_events_pkey" PRIMARY KEY ("id")
);

INSERT INTO "past_resource_events" ("recorded_since")
SELECT LEAST(CURRENT_TIMESTAMP, (SELECT min("created_at") FROM "label_events"), (SELECT min("created_at") FROM "milestone_events"),
  (SELECT min("created_at") FROM "state_events")) - interval '1 minute'
WHERE EXISTS (SELECT 1 FROM "projects");
