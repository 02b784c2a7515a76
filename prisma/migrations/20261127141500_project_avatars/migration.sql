-- AlterTable
ALTER TABLE "projects" ADD COLUMN "avatar_key" TEXT;

-- CreateTable
CREATE TABLE "project_avatars" (
    "project_id" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "project_avatars_pkey" PRIMARY KEY ("project_id")
);

-- AddForeignKey
ALTER TABLE "project_avatars" ADD CONSTRAINT "project_avatars_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
