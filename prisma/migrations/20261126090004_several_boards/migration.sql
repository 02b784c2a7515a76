-- Several boards of a project, and boards of groups. Servers of the previous version list them, all with the lists of all of a project.
CREATE OR REPLACE FUNCTION "make_board"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "boards" ("project_id") VALUES (NEW."id");
  RETURN NULL;
END $$;

DROP INDEX "boards_project_id_key";
ALTER TABLE "boards" ALTER COLUMN "project_id" DROP NOT NULL;
ALTER TABLE "boards" ADD COLUMN "group_id" INTEGER,
    ADD COLUMN "name" TEXT NOT NULL DEFAULT 'Development',
    ADD COLUMN "hide_backlog_list" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "hide_closed_list" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "boards" ADD CONSTRAINT "boards_place" CHECK (("project_id" IS NULL) <> ("group_id" IS NULL));
ALTER TABLE "boards" ADD CONSTRAINT "boards_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX "boards_project_id_id_idx" ON "boards"("project_id", "id");
CREATE INDEX "boards_group_id_id_idx" ON "boards"("group_id", "id");

ALTER TABLE "board_lists" ALTER COLUMN "project_id" DROP NOT NULL;
ALTER TABLE "board_lists" ADD COLUMN "group_id" INTEGER;
ALTER TABLE "board_lists" ADD CONSTRAINT "board_lists_place" CHECK (("project_id" IS NULL) <> ("group_id" IS NULL));
ALTER TABLE "board_lists" ADD CONSTRAINT "board_lists_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX "board_lists_board_id_rank_id_idx" ON "board_lists"("board_id", "rank", "id");
CREATE INDEX "board_lists_group_id_idx" ON "board_lists"("group_id");
