-- AlterTable
ALTER TABLE "language_counts" ADD COLUMN     "license_file" TEXT,
ADD COLUMN     "license_key" TEXT,
ADD COLUMN     "readme" TEXT;

-- Has everything looked at again, as these are not known of any tip.
UPDATE "language_counts" SET "tip" = '';
