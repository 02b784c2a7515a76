-- AlterTable
ALTER TABLE "project_exports" ADD COLUMN     "upload_method" TEXT,
ADD COLUMN     "upload_url_encrypted" BYTEA;
