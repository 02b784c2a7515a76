-- Labels of groups, which the projects inside inherit. Servers of the previous version do not list them.
ALTER TABLE "labels" ALTER COLUMN "project_id" DROP NOT NULL;
ALTER TABLE "labels" ADD COLUMN "group_id" INTEGER;
ALTER TABLE "labels" ADD CONSTRAINT "labels_place" CHECK (("project_id" IS NULL) <> ("group_id" IS NULL));
ALTER TABLE "labels" ADD CONSTRAINT "labels_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;

CREATE UNIQUE INDEX "labels_group_id_title_key" ON "labels"("group_id", "title");

CREATE TABLE "label_priorities" (
    "project_id" INTEGER NOT NULL,
    "label_id" INTEGER NOT NULL,
    "priority" INTEGER NOT NULL,

    CONSTRAINT "label_priorities_pkey" PRIMARY KEY ("project_id", "label_id")
);

CREATE INDEX "label_priorities_label_id_idx" ON "label_priorities"("label_id");

ALTER TABLE "label_priorities" ADD CONSTRAINT "label_priorities_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "label_priorities" ADD CONSTRAINT "label_priorities_label_id_fkey" FOREIGN KEY ("label_id") REFERENCES "labels"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
