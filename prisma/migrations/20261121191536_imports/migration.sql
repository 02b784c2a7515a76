-- CreateEnum
CREATE TYPE "ImportStatus" AS ENUM ('scheduled', 'started', 'finished', 'failed');

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "import_error" TEXT,
ADD COLUMN     "import_status" "ImportStatus";

-- CreateTable
CREATE TABLE "project_imports" (
    "project_id" INTEGER NOT NULL,
    "source" BYTEA NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "project_imports_pkey" PRIMARY KEY ("project_id")
);

-- AddForeignKey
ALTER TABLE "project_imports" ADD CONSTRAINT "project_imports_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
