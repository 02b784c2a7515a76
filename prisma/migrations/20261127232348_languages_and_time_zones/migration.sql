-- AlterTable
ALTER TABLE "users" ADD COLUMN     "preferred_language" TEXT,
ADD COLUMN     "timezone" TEXT;
