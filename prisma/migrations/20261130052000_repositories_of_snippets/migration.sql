-- Snippets get a git repository when one is first needed: the rows stay what lists, search and pages read.
ALTER TABLE "snippets" ADD COLUMN "repository_storage" TEXT, ADD COLUMN "repository_commit" TEXT;

-- Repositories whose owners are gone, until a job removes them from the disk.
CREATE TABLE "removed_repositories" (
    "id" SERIAL NOT NULL,
    "owner" TEXT NOT NULL,
    "owner_id" INTEGER NOT NULL,
    "repository_storage" TEXT NOT NULL,
    "wiki" BOOLEAN NOT NULL DEFAULT false,
    "removed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "removed_repositories_pkey" PRIMARY KEY ("id")
);

CREATE FUNCTION "remember_repository_of_snippet"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "removed_repositories" ("owner", "owner_id", "repository_storage")
    VALUES ('snippet', OLD."id", OLD."repository_storage");
  RETURN NULL;
END $$;

CREATE TRIGGER "snippets_repository_removed" AFTER DELETE ON "snippets"
  FOR EACH ROW WHEN (OLD."repository_storage" IS NOT NULL) EXECUTE FUNCTION "remember_repository_of_snippet"();

-- Servers of the version before write rows alone: the repository then follows when it is next opened.
CREATE FUNCTION "snippet_is_ahead"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."repository_commit" := NULL;
  RETURN NEW;
END $$;

CREATE TRIGGER "snippets_ahead" BEFORE UPDATE ON "snippets" FOR EACH ROW
  WHEN ((NEW."content", NEW."file_name") IS DISTINCT FROM (OLD."content", OLD."file_name")
    AND NEW."repository_commit" IS NOT DISTINCT FROM OLD."repository_commit")
  EXECUTE FUNCTION "snippet_is_ahead"();

CREATE FUNCTION "snippet_file_is_ahead"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "snippets" SET "repository_commit" = NULL
    WHERE "id" IN (OLD."snippet_id", NEW."snippet_id") AND "repository_commit" IS NOT NULL;
  RETURN NULL;
END $$;

CREATE TRIGGER "snippet_files_ahead" AFTER INSERT OR UPDATE OR DELETE ON "snippet_files"
  FOR EACH ROW EXECUTE FUNCTION "snippet_file_is_ahead"();
