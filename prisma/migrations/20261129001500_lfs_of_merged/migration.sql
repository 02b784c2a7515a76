-- AlterTable
ALTER TABLE "merge_requests" ADD COLUMN     "lfs_linked" BOOLEAN NOT NULL DEFAULT false;
