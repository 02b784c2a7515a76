-- AlterTable
ALTER TABLE "hooks" ADD COLUMN "url_variable_names" TEXT[] NOT NULL DEFAULT '{}',
  ADD COLUMN "url_variables_encrypted" BYTEA,
  ADD COLUMN "custom_webhook_template" TEXT;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN "ci_separated_caches" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "max_artifacts_size" INTEGER;

-- AlterTable
ALTER TABLE "namespaces" ADD COLUMN "max_artifacts_size" INTEGER;

-- AlterTable
ALTER TABLE "packages" ADD COLUMN "deprecated" TEXT;

-- CreateTable
CREATE TABLE "feature_toggles" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT false,
    "percentage_of_time" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "percentage_of_actors" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "groups" TEXT[] NOT NULL DEFAULT '{}',
    "actors" TEXT[] NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "feature_toggles_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "feature_toggles_name_key" ON "feature_toggles"("name");
