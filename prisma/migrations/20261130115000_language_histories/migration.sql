-- The languages of a project at points in time of its default branch, counted when somebody asks for them.
CREATE TABLE "language_histories" (
    "project_id" INTEGER NOT NULL,
    "counts" TEXT NOT NULL,

    CONSTRAINT "language_histories_pkey" PRIMARY KEY ("project_id")
);

ALTER TABLE "language_histories" ADD CONSTRAINT "language_histories_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
