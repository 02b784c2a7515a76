-- Every project has one board, made with it: also where a server of the previous version makes the project.
CREATE TABLE "boards" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,

    CONSTRAINT "boards_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "boards_project_id_key" ON "boards"("project_id");

ALTER TABLE "boards" ADD CONSTRAINT "boards_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;

CREATE FUNCTION "make_board"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "boards" ("project_id") VALUES (NEW."id") ON CONFLICT ("project_id") DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER "projects_board" AFTER INSERT ON "projects" FOR EACH ROW EXECUTE FUNCTION "make_board"();

INSERT INTO "boards" ("project_id") SELECT "id" FROM "projects" ORDER BY "id" ON CONFLICT ("project_id") DO NOTHING;

-- The lists of a board stand in the order of their ranks, which may have gaps: a list goes with its label.
CREATE TABLE "board_lists" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "board_id" INTEGER NOT NULL,
    "label_id" INTEGER NOT NULL,
    "rank" INTEGER NOT NULL,

    CONSTRAINT "board_lists_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "board_lists_board_id_label_id_key" ON "board_lists"("board_id", "label_id");
CREATE INDEX "board_lists_project_id_rank_id_idx" ON "board_lists"("project_id", "rank", "id");
CREATE INDEX "board_lists_label_id_idx" ON "board_lists"("label_id");

ALTER TABLE "board_lists" ADD CONSTRAINT "board_lists_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "board_lists" ADD CONSTRAINT "board_lists_board_id_fkey" FOREIGN KEY ("board_id") REFERENCES "boards"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "board_lists" ADD CONSTRAINT "board_lists_label_id_fkey" FOREIGN KEY ("label_id") REFERENCES "labels"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
