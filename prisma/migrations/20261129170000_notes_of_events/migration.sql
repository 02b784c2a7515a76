-- System notes that say what an event of labels, milestones or states says. Servers of the version before leave it out: what they write
-- while both run stands twice in timelines.
ALTER TABLE "notes" ADD COLUMN "tells_event" BOOLEAN NOT NULL DEFAULT false;

-- Notes of the past: those with an event on their record within a minute.
WITH events AS (
  SELECT '^(added|removed) ~.* labels?$' AS words, "issue_id", "merge_request_id", "created_at" FROM "label_events"
  UNION ALL SELECT '^(changed milestone to %|removed milestone$)', "issue_id", "merge_request_id", "created_at" FROM "milestone_events"
  UNION ALL SELECT '^(closed|reopened|merged)( via .*)?$', "issue_id", "merge_request_id", "created_at" FROM "state_events"),
told AS (
  SELECT 'Issue' AS "subject_type", "issue_id" AS "subject_id", words, "created_at" FROM events WHERE "issue_id" IS NOT NULL
  UNION ALL SELECT 'MergeRequest', "merge_request_id", words, "created_at" FROM events WHERE "merge_request_id" IS NOT NULL)
UPDATE "notes" n SET "tells_event" = true FROM told t
  WHERE n."system" AND n."subject_type" = t."subject_type" AND n."subject_id" = t."subject_id" AND n."body" ~ t.words
    AND n."created_at" BETWEEN t."created_at" - interval '1 minute' AND t."created_at" + interval '1 minute';
