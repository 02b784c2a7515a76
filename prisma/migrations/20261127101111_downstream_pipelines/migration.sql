-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "bridge" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "pipelines" ADD COLUMN     "source_job_id" INTEGER;

-- AddForeignKey
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_source_job_id_fkey" FOREIGN KEY ("source_job_id") REFERENCES "jobs"("id") ON DELETE SET NULL ON UPDATE CASCADE;
