-- Projects have large file storage, unless it is switched off.
ALTER TABLE "projects" ALTER COLUMN "lfs_enabled" SET DEFAULT true;

-- CreateTable
CREATE TABLE "lfs_objects" (
    "id" SERIAL NOT NULL,
    "oid" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "lfs_objects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "lfs_object_projects" (
    "project_id" INTEGER NOT NULL,
    "lfs_object_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "lfs_object_projects_pkey" PRIMARY KEY ("project_id","lfs_object_id")
);

-- CreateTable
CREATE TABLE "lfs_locks" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "path" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "locked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "lfs_locks_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "lfs_objects_oid_key" ON "lfs_objects"("oid");

-- CreateIndex
CREATE UNIQUE INDEX "lfs_objects_secret_key" ON "lfs_objects"("secret");

-- CreateIndex
CREATE INDEX "lfs_object_projects_lfs_object_id_idx" ON "lfs_object_projects"("lfs_object_id");

-- CreateIndex
CREATE INDEX "lfs_locks_project_id_id_idx" ON "lfs_locks"("project_id", "id");

-- CreateIndex
CREATE INDEX "lfs_locks_user_id_idx" ON "lfs_locks"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "lfs_locks_project_id_path_key" ON "lfs_locks"("project_id", "path");

-- AddForeignKey
ALTER TABLE "lfs_object_projects" ADD CONSTRAINT "lfs_object_projects_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lfs_object_projects" ADD CONSTRAINT "lfs_object_projects_lfs_object_id_fkey" FOREIGN KEY ("lfs_object_id") REFERENCES "lfs_objects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lfs_locks" ADD CONSTRAINT "lfs_locks_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lfs_locks" ADD CONSTRAINT "lfs_locks_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
