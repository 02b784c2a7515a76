-- The issue of an event that is deleted or changed is held as that of a new one is: it does not become confidential while its
-- events are counted as public ones.
CREATE OR REPLACE FUNCTION "count_old_events"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM "issues" WHERE "id" IN (SELECT o."target_id" FROM "old_events" o WHERE o."target_type" = 'Issue')
    ORDER BY "id" FOR SHARE;
  PERFORM "add_event_counts"(array_agg(s."project_id"), array_agg(s."author_id"), array_agg(s."kind"), array_agg(s."step"))
  FROM (
    SELECT o."project_id", o."author_id", "event_kind_of"(o."target_type", o."action", o."data", i."confidential", i."deleted_at") AS "kind",
      -count(*)::int AS "step"
    FROM "old_events" o LEFT JOIN "issues" i ON o."target_type" = 'Issue' AND i."id" = o."target_id"
    WHERE o."project_id" IS NOT NULL GROUP BY 1, 2, 3) s
  WHERE s."kind" IS NOT NULL;
  RETURN NULL;
END $$;
