-- Issues have a type, incidents a severity, tasks an issue that they are a part of; links say whether the source blocks the target; snippets
-- have a description and further files; notes tell when their text was edited. Servers of the version before leave all of that as it is.
-- CreateEnum
CREATE TYPE "issue_link_type" AS ENUM ('relates_to', 'blocks');

-- CreateEnum
CREATE TYPE "issue_type" AS ENUM ('issue', 'incident', 'task');

-- CreateEnum
CREATE TYPE "issue_severity" AS ENUM ('unknown', 'low', 'medium', 'high', 'critical');

-- AlterTable
ALTER TABLE "issue_links" ADD COLUMN     "type" "issue_link_type" NOT NULL DEFAULT 'relates_to';

-- AlterTable
ALTER TABLE "issues" ADD COLUMN     "severity" "issue_severity" NOT NULL DEFAULT 'unknown',
ADD COLUMN     "type" "issue_type" NOT NULL DEFAULT 'issue';

-- AlterTable
ALTER TABLE "notes" ADD COLUMN     "last_edited_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "snippets" ADD COLUMN     "description" TEXT;

-- CreateTable
CREATE TABLE "snippet_files" (
    "snippet_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "content" TEXT NOT NULL,

    CONSTRAINT "snippet_files_pkey" PRIMARY KEY ("snippet_id","position")
);

-- CreateTable
CREATE TABLE "issue_parents" (
    "issue_id" INTEGER NOT NULL,
    "parent_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "issue_parents_pkey" PRIMARY KEY ("issue_id")
);

-- CreateIndex
CREATE INDEX "issue_parents_parent_id_idx" ON "issue_parents"("parent_id");

-- AddForeignKey
ALTER TABLE "issue_parents" ADD CONSTRAINT "issue_parents_issue_id_fkey" FOREIGN KEY ("issue_id") REFERENCES "issues"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "issue_parents" ADD CONSTRAINT "issue_parents_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "issues"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "snippet_files" ADD CONSTRAINT "snippet_files_snippet_id_fkey" FOREIGN KEY ("snippet_id") REFERENCES "snippets"("id") ON DELETE CASCADE ON UPDATE CASCADE;
