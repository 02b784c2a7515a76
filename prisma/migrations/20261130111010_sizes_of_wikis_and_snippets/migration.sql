-- AlterTable: null for those that a job has yet to measure, which are those that are there.
ALTER TABLE "project_counters" ADD COLUMN "snippets_size" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN "wiki_size" BIGINT;
ALTER TABLE "project_counters" ALTER COLUMN "wiki_size" SET DEFAULT 0;

-- AlterTable
ALTER TABLE "namespaces" ADD COLUMN "wiki_size" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "snippets" ADD COLUMN "repository_size" BIGINT;
UPDATE "snippets" SET "repository_size" = 0 WHERE "repository_storage" IS NULL;
ALTER TABLE "snippets" ALTER COLUMN "repository_size" SET DEFAULT 0;

-- The repositories of the snippets of a project count together.
CREATE FUNCTION "count_snippet_size"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE project_counters SET snippets_size = snippets_size + COALESCE(NEW.repository_size, 0) - COALESCE(OLD.repository_size, 0)
    WHERE project_id = NEW.project_id;
  RETURN NULL;
END $$;
CREATE TRIGGER "snippets_count_size" AFTER UPDATE OF "repository_size" ON "snippets" FOR EACH ROW
  WHEN (NEW.project_id IS NOT NULL AND NEW.repository_size IS DISTINCT FROM OLD.repository_size)
  EXECUTE FUNCTION "count_snippet_size"();

-- Projects are changed in the order of their IDs, so that two statements never wait for each other.
CREATE FUNCTION "count_snippets_gone"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM project_counters WHERE project_id IN (SELECT project_id FROM changed WHERE repository_size > 0)
    ORDER BY project_id FOR NO KEY UPDATE;
  UPDATE project_counters c SET snippets_size = c.snippets_size - s.size
    FROM (SELECT project_id, sum(repository_size) AS size FROM changed WHERE repository_size > 0 GROUP BY project_id) s
    WHERE c.project_id = s.project_id;
  RETURN NULL;
END $$;
CREATE TRIGGER "snippets_count_gone" AFTER DELETE ON "snippets"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "count_snippets_gone"();
