-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "job_token_push_allowed" BOOLEAN NOT NULL DEFAULT false;
