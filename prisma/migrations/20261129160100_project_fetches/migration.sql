-- How often a project was fetched on a day (UTC).
CREATE TABLE "project_fetches" (
    "project_id" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "project_fetches_pkey" PRIMARY KEY ("project_id","day")
);

ALTER TABLE "project_fetches" ADD CONSTRAINT "project_fetches_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
