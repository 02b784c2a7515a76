-- AlterTable
ALTER TABLE "project_counters" ADD COLUMN     "container_registry_size" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "projects" ALTER COLUMN "container_registry_enabled" SET DEFAULT true;

-- CreateTable
CREATE TABLE "container_repositories" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "cleaned_at" TIMESTAMPTZ(3),

    CONSTRAINT "container_repositories_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "container_blobs" (
    "id" SERIAL NOT NULL,
    "digest" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "container_blobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "container_repository_blobs" (
    "repository_id" INTEGER NOT NULL,
    "blob_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "container_repository_blobs_pkey" PRIMARY KEY ("repository_id","blob_id")
);

-- CreateTable
CREATE TABLE "container_manifests" (
    "id" SERIAL NOT NULL,
    "repository_id" INTEGER NOT NULL,
    "digest" TEXT NOT NULL,
    "media_type" TEXT NOT NULL,
    "artifact_type" TEXT,
    "config_digest" TEXT,
    "subject_digest" TEXT,
    "annotations" JSONB,
    "content" BYTEA NOT NULL,
    "size" INTEGER NOT NULL,
    "total_size" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "touched_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "container_manifests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "container_manifest_blobs" (
    "manifest_id" INTEGER NOT NULL,
    "repository_id" INTEGER NOT NULL,
    "blob_id" INTEGER NOT NULL,

    CONSTRAINT "container_manifest_blobs_pkey" PRIMARY KEY ("manifest_id","blob_id")
);

-- CreateTable
CREATE TABLE "container_manifests_of_indexes" (
    "index_id" INTEGER NOT NULL,
    "listed_id" INTEGER NOT NULL,

    CONSTRAINT "container_manifests_of_indexes_pkey" PRIMARY KEY ("index_id","listed_id")
);

-- CreateTable
CREATE TABLE "container_tags" (
    "id" SERIAL NOT NULL,
    "repository_id" INTEGER NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "manifest_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "pushed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "container_tags_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "container_uploads" (
    "id" TEXT NOT NULL,
    "repository_id" INTEGER NOT NULL,
    "size" BIGINT NOT NULL DEFAULT 0,
    "parts" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "touched_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "container_uploads_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "container_upload_parts" (
    "upload_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "secret" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "digest" TEXT NOT NULL,

    CONSTRAINT "container_upload_parts_pkey" PRIMARY KEY ("upload_id","number")
);

-- CreateIndex
CREATE INDEX "container_repositories_project_id_id_idx" ON "container_repositories"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "container_repositories_project_id_name_key" ON "container_repositories"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "container_blobs_digest_key" ON "container_blobs"("digest");

-- CreateIndex
CREATE UNIQUE INDEX "container_blobs_secret_key" ON "container_blobs"("secret");

-- CreateIndex
CREATE INDEX "container_repository_blobs_blob_id_idx" ON "container_repository_blobs"("blob_id");

-- CreateIndex
CREATE INDEX "container_repository_blobs_created_at_idx" ON "container_repository_blobs"("created_at");

-- CreateIndex
CREATE INDEX "container_manifests_repository_id_subject_digest_id_idx" ON "container_manifests"("repository_id", "subject_digest", "id");

-- CreateIndex
CREATE INDEX "container_manifests_touched_at_idx" ON "container_manifests"("touched_at");

-- CreateIndex
CREATE UNIQUE INDEX "container_manifests_repository_id_digest_key" ON "container_manifests"("repository_id", "digest");

-- CreateIndex
CREATE INDEX "container_manifest_blobs_repository_id_blob_id_idx" ON "container_manifest_blobs"("repository_id", "blob_id");

-- CreateIndex
CREATE INDEX "container_manifests_of_indexes_listed_id_idx" ON "container_manifests_of_indexes"("listed_id");

-- CreateIndex
CREATE INDEX "container_tags_manifest_id_idx" ON "container_tags"("manifest_id");

-- CreateIndex
CREATE UNIQUE INDEX "container_tags_repository_id_name_key" ON "container_tags"("repository_id", "name");

-- CreateIndex
CREATE INDEX "container_uploads_repository_id_idx" ON "container_uploads"("repository_id");

-- CreateIndex
CREATE INDEX "container_uploads_touched_at_idx" ON "container_uploads"("touched_at");

-- CreateIndex
CREATE UNIQUE INDEX "container_upload_parts_secret_key" ON "container_upload_parts"("secret");

-- AddForeignKey
ALTER TABLE "container_repositories" ADD CONSTRAINT "container_repositories_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "container_repository_blobs" ADD CONSTRAINT "container_repository_blobs_repository_id_fkey" FOREIGN KEY ("repository_id") REFERENCES "container_repositories"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "container_repository_blobs" ADD CONSTRAINT "container_repository_blobs_blob_id_fkey" FOREIGN KEY ("blob_id") REFERENCES "container_blobs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "container_manifests" ADD CONSTRAINT "container_manifests_repository_id_fkey" FOREIGN KEY ("repository_id") REFERENCES "container_repositories"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "container_manifest_blobs" ADD CONSTRAINT "container_manifest_blobs_manifest_id_fkey" FOREIGN KEY ("manifest_id") REFERENCES "container_manifests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "container_manifest_blobs" ADD CONSTRAINT "container_manifest_blobs_repository_id_blob_id_fkey" FOREIGN KEY ("repository_id", "blob_id") REFERENCES "container_repository_blobs"("repository_id", "blob_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "container_manifests_of_indexes" ADD CONSTRAINT "container_manifests_of_indexes_index_id_fkey" FOREIGN KEY ("index_id") REFERENCES "container_manifests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "container_manifests_of_indexes" ADD CONSTRAINT "container_manifests_of_indexes_listed_id_fkey" FOREIGN KEY ("listed_id") REFERENCES "container_manifests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "container_tags" ADD CONSTRAINT "container_tags_repository_id_fkey" FOREIGN KEY ("repository_id") REFERENCES "container_repositories"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "container_tags" ADD CONSTRAINT "container_tags_manifest_id_fkey" FOREIGN KEY ("manifest_id") REFERENCES "container_manifests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "container_uploads" ADD CONSTRAINT "container_uploads_repository_id_fkey" FOREIGN KEY ("repository_id") REFERENCES "container_repositories"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "container_upload_parts" ADD CONSTRAINT "container_upload_parts_upload_id_fkey" FOREIGN KEY ("upload_id") REFERENCES "container_uploads"("id") ON DELETE CASCADE ON UPDATE CASCADE;
