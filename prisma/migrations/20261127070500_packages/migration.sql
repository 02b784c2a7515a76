-- CreateEnum
CREATE TYPE "package_type" AS ENUM ('generic', 'npm');

-- CreateEnum
CREATE TYPE "package_status" AS ENUM ('default', 'hidden');

-- AlterTable
ALTER TABLE "project_counters" ADD COLUMN     "packages_size" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "packages" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "type" "package_type" NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "status" "package_status" NOT NULL DEFAULT 'default',
    "creator_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_downloaded_at" TIMESTAMPTZ(3),
    "manifest" JSONB,

    CONSTRAINT "packages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "package_tags" (
    "project_id" INTEGER NOT NULL,
    "package_name" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "package_id" INTEGER NOT NULL,

    CONSTRAINT "package_tags_pkey" PRIMARY KEY ("project_id","package_name","name")
);

-- CreateTable
CREATE TABLE "package_files" (
    "id" SERIAL NOT NULL,
    "package_id" INTEGER NOT NULL,
    "project_id" INTEGER NOT NULL,
    "secret" TEXT NOT NULL,
    "stored_as" TEXT NOT NULL,
    "file_name" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "md5" TEXT NOT NULL,
    "sha1" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "package_files_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "packages_project_id_created_at_id_idx" ON "packages"("project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "packages_project_id_name_id_idx" ON "packages"("project_id", "name", "id");

-- CreateIndex
CREATE INDEX "packages_project_id_version_id_idx" ON "packages"("project_id", "version", "id");

-- CreateIndex
CREATE INDEX "packages_project_id_type_id_idx" ON "packages"("project_id", "type", "id");

-- CreateIndex
CREATE INDEX "packages_creator_id_idx" ON "packages"("creator_id");

-- CreateIndex
CREATE UNIQUE INDEX "packages_project_id_type_name_version_key" ON "packages"("project_id", "type", "name", "version");

-- CreateIndex
CREATE INDEX "package_tags_package_id_idx" ON "package_tags"("package_id");

-- CreateIndex
CREATE UNIQUE INDEX "package_files_secret_key" ON "package_files"("secret");

-- CreateIndex
CREATE INDEX "package_files_package_id_file_name_id_idx" ON "package_files"("package_id", "file_name", "id");

-- CreateIndex
CREATE INDEX "package_files_package_id_created_at_id_idx" ON "package_files"("package_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "package_files_package_id_id_idx" ON "package_files"("package_id", "id");

-- CreateIndex
CREATE INDEX "package_files_project_id_idx" ON "package_files"("project_id");

-- AddForeignKey
ALTER TABLE "packages" ADD CONSTRAINT "packages_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "packages" ADD CONSTRAINT "packages_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "package_tags" ADD CONSTRAINT "package_tags_package_id_fkey" FOREIGN KEY ("package_id") REFERENCES "packages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "package_files" ADD CONSTRAINT "package_files_package_id_fkey" FOREIGN KEY ("package_id") REFERENCES "packages"("id") ON DELETE CASCADE ON UPDATE CASCADE;
