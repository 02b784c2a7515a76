-- CreateTable
CREATE TABLE "contributor_counts" (
    "project_id" INTEGER NOT NULL,
    "tip" TEXT NOT NULL,
    "commits" INTEGER NOT NULL,
    "contributors" TEXT NOT NULL,

    CONSTRAINT "contributor_counts_pkey" PRIMARY KEY ("project_id")
);

-- AddForeignKey
ALTER TABLE "contributor_counts" ADD CONSTRAINT "contributor_counts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
