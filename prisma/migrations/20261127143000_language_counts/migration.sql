-- CreateTable
CREATE TABLE "language_counts" (
    "project_id" INTEGER NOT NULL,
    "tip" TEXT NOT NULL,
    "names" TEXT[],
    "languages" TEXT NOT NULL,

    CONSTRAINT "language_counts_pkey" PRIMARY KEY ("project_id")
);

-- CreateIndex
CREATE INDEX "language_counts_names_idx" ON "language_counts" USING GIN ("names");

-- AddForeignKey
ALTER TABLE "language_counts" ADD CONSTRAINT "language_counts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
