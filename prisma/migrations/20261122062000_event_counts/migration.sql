-- Events of a feed are counted as they are written, so that the totals of feeds need no scan. What an event is about decides
-- who is told of it, so each kind is counted for itself; feeds add up the kinds that the reader may see.

-- CreateEnum
CREATE TYPE "event_kind" AS ENUM ('plain', 'push', 'milestone', 'note', 'issue', 'confidential');

-- CreateTable
CREATE TABLE "project_event_counts" (
    "project_id" INTEGER NOT NULL,
    "kind" "event_kind" NOT NULL,
    "slot" INTEGER NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "project_event_counts_pkey" PRIMARY KEY ("project_id","kind","slot")
);

-- CreateTable
CREATE TABLE "author_event_counts" (
    "author_id" INTEGER NOT NULL,
    "project_id" INTEGER NOT NULL,
    "kind" "event_kind" NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "author_event_counts_pkey" PRIMARY KEY ("author_id","project_id","kind")
);

-- CreateIndex
CREATE INDEX "author_event_counts_project_id_idx" ON "author_event_counts"("project_id");

-- Of what kind an event is; null for one that is told to nobody: of a deleted issue but for its end, or of an unknown kind.
CREATE FUNCTION "event_kind_of"("target_type" text, "action" text, "data" jsonb, "issue_confidential" boolean, "issue_deleted_at" timestamptz)
RETURNS "event_kind" LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN "target_type" IS NULL THEN CASE WHEN "data" IS NULL THEN 'plain'::event_kind ELSE 'push'::event_kind END
    WHEN "target_type" = 'Milestone' THEN 'milestone'::event_kind
    WHEN "target_type" = 'Note' THEN 'note'::event_kind
    WHEN "target_type" = 'Issue' AND "issue_confidential" IS NOT NULL AND ("issue_deleted_at" IS NULL OR "action" = 'destroyed')
      THEN CASE WHEN "issue_confidential" THEN 'confidential'::event_kind ELSE 'issue'::event_kind END
  END
$$;

-- Adds to the counts. Rows are taken in one order, so that two transactions do not wait for each other; authors share a few
-- rows of a project, so that one project's writers seldom wait. Nothing is added to what is being deleted.
CREATE FUNCTION "add_event_counts"("projects" integer[], "authors" integer[], "kinds" "event_kind"[], "steps" integer[])
RETURNS void LANGUAGE sql AS $$
  INSERT INTO "project_event_counts" AS c ("project_id", "kind", "slot", "count")
  SELECT s.project_id, s.kind, s.author_id % 16, sum(s.step) FROM unnest("projects", "authors", "kinds", "steps") AS s (project_id, author_id, kind, step)
  WHERE EXISTS (SELECT 1 FROM "projects" p WHERE p.id = s.project_id)
  GROUP BY 1, 2, 3 HAVING sum(s.step) <> 0 ORDER BY 1, 2, 3
  ON CONFLICT ("project_id", "kind", "slot") DO UPDATE SET "count" = c."count" + EXCLUDED."count";

  INSERT INTO "author_event_counts" AS c ("author_id", "project_id", "kind", "count")
  SELECT s.author_id, s.project_id, s.kind, sum(s.step) FROM unnest("projects", "authors", "kinds", "steps") AS s (project_id, author_id, kind, step)
  WHERE EXISTS (SELECT 1 FROM "projects" p WHERE p.id = s.project_id) AND EXISTS (SELECT 1 FROM "users" u WHERE u.id = s.author_id)
  GROUP BY 1, 2, 3 HAVING sum(s.step) <> 0 ORDER BY 1, 2, 3
  ON CONFLICT ("author_id", "project_id", "kind") DO UPDATE SET "count" = c."count" + EXCLUDED."count";
$$;

-- The issue of an event is held, so that it does not become confidential while its events are counted as public ones.
CREATE FUNCTION "count_new_events"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM "issues" WHERE "id" IN (SELECT n."target_id" FROM "new_events" n WHERE n."target_type" = 'Issue')
    ORDER BY "id" FOR SHARE;
  PERFORM "add_event_counts"(array_agg(s."project_id"), array_agg(s."author_id"), array_agg(s."kind"), array_agg(s."step"))
  FROM (
    SELECT n."project_id", n."author_id", "event_kind_of"(n."target_type", n."action", n."data", i."confidential", i."deleted_at") AS "kind",
      count(*)::int AS "step"
    FROM "new_events" n LEFT JOIN "issues" i ON n."target_type" = 'Issue' AND i."id" = n."target_id"
    WHERE n."project_id" IS NOT NULL GROUP BY 1, 2, 3) s
  WHERE s."kind" IS NOT NULL;
  RETURN NULL;
END $$;

CREATE FUNCTION "count_old_events"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "add_event_counts"(array_agg(s."project_id"), array_agg(s."author_id"), array_agg(s."kind"), array_agg(s."step"))
  FROM (
    SELECT o."project_id", o."author_id", "event_kind_of"(o."target_type", o."action", o."data", i."confidential", i."deleted_at") AS "kind",
      -count(*)::int AS "step"
    FROM "old_events" o LEFT JOIN "issues" i ON o."target_type" = 'Issue' AND i."id" = o."target_id"
    WHERE o."project_id" IS NOT NULL GROUP BY 1, 2, 3) s
  WHERE s."kind" IS NOT NULL;
  RETURN NULL;
END $$;

-- An issue that becomes confidential, or public, or is deleted takes its events along.
CREATE FUNCTION "count_events_of_issue"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "add_event_counts"(array_agg(s."project_id"), array_agg(s."author_id"), array_agg(s."kind"), array_agg(s."step"))
  FROM (
    SELECT e."project_id", e."author_id", k."kind", sum(k."step")::int AS "step"
    FROM "events" e CROSS JOIN LATERAL (VALUES
      ("event_kind_of"(e."target_type", e."action", e."data", OLD."confidential", OLD."deleted_at"), -1),
      ("event_kind_of"(e."target_type", e."action", e."data", NEW."confidential", NEW."deleted_at"), 1)) k ("kind", "step")
    WHERE e."target_type" = 'Issue' AND e."target_id" = NEW."id" AND e."project_id" IS NOT NULL GROUP BY 1, 2, 3) s
  WHERE s."kind" IS NOT NULL;
  RETURN NULL;
END $$;

-- Counts all events anew; nobody may write one meanwhile.
CREATE FUNCTION "count_all_events"() RETURNS void LANGUAGE sql AS $$
  TRUNCATE "project_event_counts", "author_event_counts";
  INSERT INTO "author_event_counts" ("author_id", "project_id", "kind", "count")
  SELECT s."author_id", s."project_id", s."kind", count(*) FROM (
    SELECT e."author_id", e."project_id", "event_kind_of"(e."target_type", e."action", e."data", i."confidential", i."deleted_at") AS "kind"
    FROM "events" e LEFT JOIN "issues" i ON e."target_type" = 'Issue' AND i."id" = e."target_id" WHERE e."project_id" IS NOT NULL) s
  WHERE s."kind" IS NOT NULL GROUP BY 1, 2, 3;
  INSERT INTO "project_event_counts" ("project_id", "kind", "slot", "count")
  SELECT "project_id", "kind", "author_id" % 16, sum("count") FROM "author_event_counts" GROUP BY 1, 2, 3;
$$;

-- Making a trigger keeps events from being written until this migration ends, which takes a few seconds for each million of them.
CREATE TRIGGER "events_count_new" AFTER INSERT ON "events" REFERENCING NEW TABLE AS "new_events"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_new_events"();
CREATE TRIGGER "events_count_old" AFTER DELETE ON "events" REFERENCING OLD TABLE AS "old_events"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_old_events"();
CREATE TRIGGER "events_count_changed_from" AFTER UPDATE ON "events" REFERENCING OLD TABLE AS "old_events"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_old_events"();
CREATE TRIGGER "events_count_changed_to" AFTER UPDATE ON "events" REFERENCING NEW TABLE AS "new_events"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_new_events"();
CREATE TRIGGER "issues_count_events" AFTER UPDATE OF "confidential", "deleted_at" ON "issues" FOR EACH ROW
  WHEN (OLD.confidential <> NEW.confidential OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))
  EXECUTE FUNCTION "count_events_of_issue"();

SELECT "count_all_events"();

-- Checked once for all rows, which is faster than with each.
-- AddForeignKey
ALTER TABLE "project_event_counts" ADD CONSTRAINT "project_event_counts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "author_event_counts" ADD CONSTRAINT "author_event_counts_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "author_event_counts" ADD CONSTRAINT "author_event_counts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
