-- AlterTable
ALTER TABLE "application_settings" ADD COLUMN     "anonymous_api_reads" BOOLEAN NOT NULL DEFAULT false;
