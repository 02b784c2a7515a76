-- AlterTable
ALTER TABLE "application_settings" ADD COLUMN     "front_page_text" TEXT,
ADD COLUMN     "front_page_title" TEXT;
