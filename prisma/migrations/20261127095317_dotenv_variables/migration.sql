-- AlterTable
ALTER TABLE "job_reports" ADD COLUMN     "variables" JSONB;
