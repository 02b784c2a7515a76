-- Groups have wikis, in repositories that are made when they are first needed.
CREATE TYPE "feature_level" AS ENUM ('disabled', 'private', 'enabled');

ALTER TABLE "namespaces" ADD COLUMN "wiki_access_level" "feature_level" NOT NULL DEFAULT 'enabled', ADD COLUMN "wiki_storage" TEXT;

CREATE FUNCTION "remember_wiki_of_group"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "removed_repositories" ("owner", "owner_id", "repository_storage", "wiki")
    VALUES ('group', OLD."id", OLD."wiki_storage", true);
  RETURN NULL;
END $$;

CREATE TRIGGER "namespaces_wiki_removed" AFTER DELETE ON "namespaces"
  FOR EACH ROW WHEN (OLD."wiki_storage" IS NOT NULL) EXECUTE FUNCTION "remember_wiki_of_group"();
