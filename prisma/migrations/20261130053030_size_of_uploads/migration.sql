-- AlterTable
ALTER TABLE "project_counters" ADD COLUMN "uploads_size" BIGINT NOT NULL DEFAULT 0;

-- Those that are there.
UPDATE "project_counters" c SET "uploads_size" = s.size
  FROM (SELECT "project_id", sum("size") AS size FROM "uploads" GROUP BY "project_id") s WHERE s."project_id" = c."project_id";

-- Files that are attached to descriptions and comments count once each, in one change of the counters for each statement. Projects are
-- changed in the order of their IDs, so that two statements never wait for each other.
CREATE FUNCTION "count_uploads"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM project_counters WHERE project_id IN (SELECT project_id FROM changed) ORDER BY project_id FOR NO KEY UPDATE;
  UPDATE project_counters c SET uploads_size = c.uploads_size + CASE TG_OP WHEN 'INSERT' THEN s.size ELSE -s.size END
    FROM (SELECT project_id, sum(size) AS size FROM changed GROUP BY project_id) s WHERE c.project_id = s.project_id;
  RETURN NULL;
END $$;
CREATE TRIGGER "uploads_count_new" AFTER INSERT ON "uploads"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "count_uploads"();
CREATE TRIGGER "uploads_count_gone" AFTER DELETE ON "uploads"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "count_uploads"();
