-- CreateTable
CREATE TABLE "topics" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "avatar_key" TEXT,
    "projects_count" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "topics_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "topic_avatars" (
    "topic_id" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "topic_avatars_pkey" PRIMARY KEY ("topic_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "topics_name_lower" ON "topics" (lower("name"));

-- CreateIndex
CREATE INDEX "topics_projects_count_id_idx" ON "topics"("projects_count", "id");

-- CreateIndex
CREATE INDEX "topics_name_trgm" ON "topics" USING GIN ("name" gin_trgm_ops);

-- AddForeignKey
ALTER TABLE "topic_avatars" ADD CONSTRAINT "topic_avatars_topic_id_fkey" FOREIGN KEY ("topic_id") REFERENCES "topics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The topics of a project exist, and know how many projects have them. Topics are locked in the order of their names.
CREATE FUNCTION "keep_topics"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old_names text[] := '{}';
  new_names text[] := '{}';
BEGIN
  IF TG_OP <> 'INSERT' AND OLD."deleted_at" IS NULL AND OLD."visibility" <> 'private' THEN
    old_names := lower_texts(OLD."tag_list");
  END IF;
  IF TG_OP <> 'DELETE' THEN
    IF TG_OP = 'INSERT' OR NEW."tag_list" <> OLD."tag_list" THEN
      INSERT INTO "topics" ("name", "title")
        SELECT DISTINCT ON (lower(t)) t, t FROM unnest(NEW."tag_list") t ORDER BY lower(t), t
        ON CONFLICT (lower("name")) DO NOTHING;
    END IF;
    IF NEW."deleted_at" IS NULL AND NEW."visibility" <> 'private' THEN new_names := lower_texts(NEW."tag_list"); END IF;
  END IF;
  IF old_names = new_names THEN RETURN NULL; END IF;
  PERFORM 1 FROM "topics" WHERE lower("name") = ANY (old_names || new_names) ORDER BY lower("name") FOR NO KEY UPDATE;
  UPDATE "topics" SET "projects_count" = "projects_count"
      + CASE WHEN lower("name") = ANY (new_names) THEN 1 ELSE 0 END - CASE WHEN lower("name") = ANY (old_names) THEN 1 ELSE 0 END
    WHERE lower("name") = ANY (old_names || new_names)
      AND (lower("name") = ANY (new_names)) <> (lower("name") = ANY (old_names));
  RETURN NULL;
END $$;

CREATE TRIGGER "keep_topics" AFTER INSERT OR DELETE OR UPDATE OF "tag_list", "visibility", "deleted_at" ON "projects"
  FOR EACH ROW EXECUTE FUNCTION "keep_topics"();

INSERT INTO "topics" ("name", "title", "projects_count")
  SELECT min(t), min(t), count(DISTINCT p."id") FILTER (WHERE p."deleted_at" IS NULL AND p."visibility" <> 'private')
  FROM "projects" p, unnest(p."tag_list") t GROUP BY lower(t);
