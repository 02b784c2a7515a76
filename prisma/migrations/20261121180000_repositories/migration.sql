-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "repository_storage" TEXT NOT NULL DEFAULT 'default';

-- CreateTable
CREATE TABLE "protected_branches" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "developers_can_push" BOOLEAN NOT NULL DEFAULT false,
    "developers_can_merge" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "protected_branches_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "releases" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "tag" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "releases_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "commit_comments" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "sha" TEXT NOT NULL,
    "author_id" INTEGER NOT NULL,
    "note" TEXT NOT NULL,
    "path" TEXT,
    "line" INTEGER,
    "line_type" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "commit_comments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recorded_refs" (
    "project_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "oid" TEXT NOT NULL,

    CONSTRAINT "recorded_refs_pkey" PRIMARY KEY ("project_id","name")
);

-- CreateTable
CREATE TABLE "repository_copies" (
    "project_id" INTEGER NOT NULL,
    "source_id" INTEGER NOT NULL,

    CONSTRAINT "repository_copies_pkey" PRIMARY KEY ("project_id")
);

-- CreateIndex
CREATE INDEX "repository_copies_source_id_idx" ON "repository_copies"("source_id");

-- CreateIndex
CREATE UNIQUE INDEX "protected_branches_project_id_name_key" ON "protected_branches"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "releases_project_id_tag_key" ON "releases"("project_id", "tag");

-- CreateIndex
CREATE INDEX "commit_comments_project_id_sha_id_idx" ON "commit_comments"("project_id", "sha", "id");

-- CreateIndex
CREATE INDEX "commit_comments_author_id_idx" ON "commit_comments"("author_id");

-- AddForeignKey
ALTER TABLE "protected_branches" ADD CONSTRAINT "protected_branches_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "releases" ADD CONSTRAINT "releases_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "commit_comments" ADD CONSTRAINT "commit_comments_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "commit_comments" ADD CONSTRAINT "commit_comments_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recorded_refs" ADD CONSTRAINT "recorded_refs_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "repository_copies" ADD CONSTRAINT "repository_copies_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "repository_copies" ADD CONSTRAINT "repository_copies_source_id_fkey" FOREIGN KEY ("source_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema language has no words for -------------------------------------------------------------------

ALTER TABLE "commit_comments" ADD CONSTRAINT "commit_comments_line_type" CHECK ("line_type" IN ('new', 'old'));
ALTER TABLE "commit_comments" ADD CONSTRAINT "commit_comments_place"
  CHECK (("line" IS NULL) = ("line_type" IS NULL) AND ("line" IS NULL OR "path" IS NOT NULL));
