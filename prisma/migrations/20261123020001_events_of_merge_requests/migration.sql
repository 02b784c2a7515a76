CREATE OR REPLACE FUNCTION "event_kind_of"("target_type" text, "action" text, "data" jsonb, "issue_confidential" boolean, "issue_deleted_at" timestamptz)
RETURNS "event_kind" LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN "target_type" IS NULL THEN CASE WHEN "data" IS NULL THEN 'plain'::event_kind ELSE 'push'::event_kind END
    WHEN "target_type" = 'Milestone' THEN 'milestone'::event_kind
    WHEN "target_type" = 'Note' THEN 'note'::event_kind
    WHEN "target_type" IN ('MergeRequest', 'MergeRequestNote') THEN 'merge_request'::event_kind
    WHEN "target_type" IN ('Issue', 'IssueNote') AND "issue_confidential" IS NOT NULL AND ("issue_deleted_at" IS NULL OR "action" = 'destroyed')
      THEN CASE WHEN "issue_confidential" THEN 'confidential'::event_kind ELSE 'issue'::event_kind END
  END
$$;

-- The issue that an event is about, by itself or by a note on it.
CREATE FUNCTION "event_issue_of"("target_type" text, "target_id" integer, "subject_id" integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE "target_type" WHEN 'Issue' THEN "target_id" WHEN 'IssueNote' THEN "subject_id" END
$$;

CREATE OR REPLACE FUNCTION "count_new_events"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM "issues" WHERE "id" IN (SELECT "event_issue_of"(n."target_type", n."target_id", n."subject_id") FROM "new_events" n)
    ORDER BY "id" FOR SHARE;
  PERFORM "add_event_counts"(array_agg(s."project_id"), array_agg(s."author_id"), array_agg(s."kind"), array_agg(s."step"))
  FROM (
    SELECT n."project_id", n."author_id", "event_kind_of"(n."target_type", n."action", n."data", i."confidential", i."deleted_at") AS "kind",
      count(*)::int AS "step"
    FROM "new_events" n LEFT JOIN "issues" i ON i."id" = "event_issue_of"(n."target_type", n."target_id", n."subject_id")
    WHERE n."project_id" IS NOT NULL GROUP BY 1, 2, 3) s
  WHERE s."kind" IS NOT NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "count_old_events"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM "issues" WHERE "id" IN (SELECT "event_issue_of"(o."target_type", o."target_id", o."subject_id") FROM "old_events" o)
    ORDER BY "id" FOR SHARE;
  PERFORM "add_event_counts"(array_agg(s."project_id"), array_agg(s."author_id"), array_agg(s."kind"), array_agg(s."step"))
  FROM (
    SELECT o."project_id", o."author_id", "event_kind_of"(o."target_type", o."action", o."data", i."confidential", i."deleted_at") AS "kind",
      -count(*)::int AS "step"
    FROM "old_events" o LEFT JOIN "issues" i ON i."id" = "event_issue_of"(o."target_type", o."target_id", o."subject_id")
    WHERE o."project_id" IS NOT NULL GROUP BY 1, 2, 3) s
  WHERE s."kind" IS NOT NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "count_events_of_issue"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "add_event_counts"(array_agg(s."project_id"), array_agg(s."author_id"), array_agg(s."kind"), array_agg(s."step"))
  FROM (
    SELECT e."project_id", e."author_id", k."kind", sum(k."step")::int AS "step"
    FROM (
      SELECT * FROM "events" WHERE "target_type" = 'Issue' AND "target_id" = NEW."id"
      UNION ALL SELECT * FROM "events" WHERE "target_type" = 'IssueNote' AND "subject_id" = NEW."id") e
    CROSS JOIN LATERAL (VALUES
      ("event_kind_of"(e."target_type", e."action", e."data", OLD."confidential", OLD."deleted_at"), -1),
      ("event_kind_of"(e."target_type", e."action", e."data", NEW."confidential", NEW."deleted_at"), 1)) k ("kind", "step")
    WHERE e."project_id" IS NOT NULL GROUP BY 1, 2, 3) s
  WHERE s."kind" IS NOT NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "count_all_events"() RETURNS void LANGUAGE sql AS $$
  TRUNCATE "project_event_counts", "author_event_counts";
  INSERT INTO "author_event_counts" ("author_id", "project_id", "kind", "count")
  SELECT s."author_id", s."project_id", s."kind", count(*) FROM (
    SELECT e."author_id", e."project_id", "event_kind_of"(e."target_type", e."action", e."data", i."confidential", i."deleted_at") AS "kind"
    FROM "events" e LEFT JOIN "issues" i ON i."id" = "event_issue_of"(e."target_type", e."target_id", e."subject_id")
    WHERE e."project_id" IS NOT NULL) s
  WHERE s."kind" IS NOT NULL GROUP BY 1, 2, 3;
  INSERT INTO "project_event_counts" ("project_id", "kind", "slot", "count")
  SELECT "project_id", "kind", "author_id" % 16, sum("count") FROM "author_event_counts" GROUP BY 1, 2, 3;
$$;
