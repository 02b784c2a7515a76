-- CreateEnum
CREATE TYPE "key_usage" AS ENUM ('auth', 'signing', 'auth_and_signing');

-- AlterTable
ALTER TABLE "ssh_keys" ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "usage_type" "key_usage" NOT NULL DEFAULT 'auth_and_signing';
