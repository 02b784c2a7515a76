-- CreateEnum
CREATE TYPE "branch_action" AS ENUM ('push', 'merge', 'unprotect');

-- AlterTable
ALTER TABLE "protected_branches" ADD COLUMN     "allow_force_push" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "protected_branch_levels" (
    "id" SERIAL NOT NULL,
    "protected_branch_id" INTEGER NOT NULL,
    "action" "branch_action" NOT NULL,
    "access_level" INTEGER,
    "deploy_key_id" INTEGER,

    CONSTRAINT "protected_branch_levels_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "protected_tags" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "protected_tags_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "protected_tag_levels" (
    "id" SERIAL NOT NULL,
    "protected_tag_id" INTEGER NOT NULL,
    "access_level" INTEGER,
    "deploy_key_id" INTEGER,

    CONSTRAINT "protected_tag_levels_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "protected_branch_levels_deploy_key_id_idx" ON "protected_branch_levels"("deploy_key_id");

-- CreateIndex
CREATE UNIQUE INDEX "protected_branch_levels_protected_branch_id_action_access_l_key" ON "protected_branch_levels"("protected_branch_id", "action", "access_level");

-- CreateIndex
CREATE UNIQUE INDEX "protected_branch_levels_protected_branch_id_action_deploy_k_key" ON "protected_branch_levels"("protected_branch_id", "action", "deploy_key_id");

-- CreateIndex
CREATE UNIQUE INDEX "protected_tags_project_id_name_key" ON "protected_tags"("project_id", "name");

-- CreateIndex
CREATE INDEX "protected_tag_levels_deploy_key_id_idx" ON "protected_tag_levels"("deploy_key_id");

-- CreateIndex
CREATE UNIQUE INDEX "protected_tag_levels_protected_tag_id_access_level_key" ON "protected_tag_levels"("protected_tag_id", "access_level");

-- CreateIndex
CREATE UNIQUE INDEX "protected_tag_levels_protected_tag_id_deploy_key_id_key" ON "protected_tag_levels"("protected_tag_id", "deploy_key_id");

-- AddForeignKey
ALTER TABLE "protected_branch_levels" ADD CONSTRAINT "protected_branch_levels_protected_branch_id_fkey" FOREIGN KEY ("protected_branch_id") REFERENCES "protected_branches"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "protected_branch_levels" ADD CONSTRAINT "protected_branch_levels_deploy_key_id_fkey" FOREIGN KEY ("deploy_key_id") REFERENCES "deploy_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "protected_tags" ADD CONSTRAINT "protected_tags_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "protected_tag_levels" ADD CONSTRAINT "protected_tag_levels_protected_tag_id_fkey" FOREIGN KEY ("protected_tag_id") REFERENCES "protected_tags"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "protected_tag_levels" ADD CONSTRAINT "protected_tag_levels_deploy_key_id_fkey" FOREIGN KEY ("deploy_key_id") REFERENCES "deploy_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Levels are from 0 (nobody) to administrators, or a deploy key.
ALTER TABLE "protected_branch_levels" ADD CONSTRAINT "protected_branch_levels_of_one"
  CHECK (num_nonnulls("access_level", "deploy_key_id") = 1 AND ("deploy_key_id" IS NULL OR "action" = 'push'));
ALTER TABLE "protected_tag_levels" ADD CONSTRAINT "protected_tag_levels_of_one" CHECK (num_nonnulls("access_level", "deploy_key_id") = 1);

-- The rules so far.
INSERT INTO "protected_branch_levels" ("protected_branch_id", "action", "access_level")
SELECT b."id", l."action"::"branch_action", l."access_level" FROM "protected_branches" b
CROSS JOIN LATERAL (VALUES
  ('push', CASE WHEN b."developers_can_push" THEN 30 ELSE 40 END),
  ('merge', CASE WHEN b."developers_can_merge" THEN 30 ELSE 40 END),
  ('unprotect', 40)) l ("action", "access_level")
ORDER BY b."id", l."action"::"branch_action";

-- Whoever writes `developers_can_…` alone, as servers of before do, means the levels; a new rule gets levels in any case.
CREATE FUNCTION "protect_by_columns"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO "protected_branch_levels" ("protected_branch_id", "action", "access_level") VALUES
      (NEW."id", 'push', CASE WHEN NEW."developers_can_push" THEN 30 ELSE 40 END),
      (NEW."id", 'merge', CASE WHEN NEW."developers_can_merge" THEN 30 ELSE 40 END),
      (NEW."id", 'unprotect', 40);
    RETURN NULL;
  END IF;
  -- Not for the trigger below.
  IF pg_trigger_depth() > 1 THEN RETURN NULL; END IF;
  IF NEW."developers_can_push" IS DISTINCT FROM OLD."developers_can_push" THEN
    DELETE FROM "protected_branch_levels" WHERE "protected_branch_id" = NEW."id" AND "action" = 'push';
    INSERT INTO "protected_branch_levels" ("protected_branch_id", "action", "access_level")
    VALUES (NEW."id", 'push', CASE WHEN NEW."developers_can_push" THEN 30 ELSE 40 END);
  END IF;
  IF NEW."developers_can_merge" IS DISTINCT FROM OLD."developers_can_merge" THEN
    DELETE FROM "protected_branch_levels" WHERE "protected_branch_id" = NEW."id" AND "action" = 'merge';
    INSERT INTO "protected_branch_levels" ("protected_branch_id", "action", "access_level")
    VALUES (NEW."id", 'merge', CASE WHEN NEW."developers_can_merge" THEN 30 ELSE 40 END);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "protect_by_columns" AFTER INSERT OR UPDATE OF "developers_can_push", "developers_can_merge" ON "protected_branches"
FOR EACH ROW EXECUTE FUNCTION "protect_by_columns"();

-- The columns say whether one of the levels is that of developers.
CREATE FUNCTION "developers_by_levels"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed int := CASE TG_OP WHEN 'DELETE' THEN OLD."protected_branch_id" ELSE NEW."protected_branch_id" END;
BEGIN
  UPDATE "protected_branches" b SET "developers_can_push" = l."push", "developers_can_merge" = l."merge"
  FROM (SELECT COALESCE(bool_or("action" = 'push' AND "access_level" BETWEEN 1 AND 30), FALSE) AS "push",
      COALESCE(bool_or("action" = 'merge' AND "access_level" BETWEEN 1 AND 30), FALSE) AS "merge"
    FROM "protected_branch_levels" WHERE "protected_branch_id" = changed) l
  WHERE b."id" = changed AND (b."developers_can_push", b."developers_can_merge") IS DISTINCT FROM (l."push", l."merge");
  RETURN NULL;
END $$;
CREATE TRIGGER "developers_by_levels" AFTER INSERT OR UPDATE OR DELETE ON "protected_branch_levels"
FOR EACH ROW EXECUTE FUNCTION "developers_by_levels"();
