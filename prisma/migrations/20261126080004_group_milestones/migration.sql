-- Milestones of groups, which the projects inside inherit. Servers of the previous version do not list them.
ALTER TABLE "milestones" ALTER COLUMN "project_id" DROP NOT NULL;
ALTER TABLE "milestones" ADD COLUMN "group_id" INTEGER;
ALTER TABLE "milestones" ADD CONSTRAINT "milestones_place" CHECK (("project_id" IS NULL) <> ("group_id" IS NULL));
ALTER TABLE "milestones" ADD CONSTRAINT "milestones_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;

CREATE UNIQUE INDEX "milestones_group_id_iid_key" ON "milestones"("group_id", "iid");
CREATE UNIQUE INDEX "milestones_group_id_title_key" ON "milestones"("group_id", "title");
CREATE INDEX "milestones_group_id_id_idx" ON "milestones"("group_id", "id");
CREATE INDEX "milestones_title_idx" ON "milestones"("title");

ALTER TABLE "namespaces" ADD COLUMN "last_milestone_iid" INTEGER NOT NULL DEFAULT 0;
