-- CreateEnum
CREATE TYPE "auto_stop_setting" AS ENUM ('always', 'with_action');

-- CreateEnum
CREATE TYPE "deployment_status" AS ENUM ('created', 'running', 'success', 'failed', 'canceled');

-- AlterTable
ALTER TABLE "deployments" ADD COLUMN     "finished_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "status" "deployment_status" NOT NULL DEFAULT 'success',
ADD COLUMN     "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- AlterTable
ALTER TABLE "environments" ADD COLUMN     "auto_stop_at" TIMESTAMPTZ(3),
ADD COLUMN     "auto_stop_setting" "auto_stop_setting" NOT NULL DEFAULT 'always',
ADD COLUMN     "description" TEXT,
ADD COLUMN     "tier" TEXT;

UPDATE "deployments" SET "updated_at" = "created_at", "finished_at" = "created_at";
