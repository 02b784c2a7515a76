-- AlterTable
ALTER TABLE "merge_requests" ADD COLUMN     "checked_has_target" BOOLEAN;
