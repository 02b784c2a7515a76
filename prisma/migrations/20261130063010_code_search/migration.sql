-- CreateTable
CREATE TABLE "code_blobs" (
    "id" SERIAL NOT NULL,
    "sha" BYTEA NOT NULL,
    "content" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "code_blobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "code_files" (
    "project_id" INTEGER NOT NULL,
    "path" TEXT NOT NULL,
    "blob_id" INTEGER,
    "language" TEXT,

    CONSTRAINT "code_files_pkey" PRIMARY KEY ("project_id","path")
);

-- CreateTable
CREATE TABLE "code_indexes" (
    "project_id" INTEGER NOT NULL,
    "ref" TEXT NOT NULL,
    "tip" TEXT,
    "is_cut" BOOLEAN NOT NULL DEFAULT false,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "code_indexes_pkey" PRIMARY KEY ("project_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "code_blobs_sha_key" ON "code_blobs"("sha");

-- CreateIndex
CREATE INDEX "code_blobs_content_trgm" ON "code_blobs" USING GIN ("content" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "code_files_blob_id_idx" ON "code_files"("blob_id");

-- CreateIndex
CREATE INDEX "code_files_path_trgm" ON "code_files" USING GIN ("path" gin_trgm_ops);

-- AddForeignKey
ALTER TABLE "code_files" ADD CONSTRAINT "code_files_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "code_indexes"("project_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "code_files" ADD CONSTRAINT "code_files_blob_id_fkey" FOREIGN KEY ("blob_id") REFERENCES "code_blobs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "code_indexes" ADD CONSTRAINT "code_indexes_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
