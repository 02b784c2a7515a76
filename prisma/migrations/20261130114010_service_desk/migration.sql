-- AlterEnum
ALTER TYPE "service_account_kind" ADD VALUE IF NOT EXISTS 'support';

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "service_desk_enabled" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "service_desk_version" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "issues" ADD COLUMN     "external_author" TEXT;

-- AlterTable
ALTER TABLE "notes" ADD COLUMN     "external_author" TEXT;

-- CreateTable
CREATE TABLE "issue_email_participants" (
    "id" SERIAL NOT NULL,
    "issue_id" INTEGER NOT NULL,
    "email" TEXT NOT NULL,
    "message_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "issue_email_participants_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "issue_email_participants_issue_id_email_key" ON "issue_email_participants"("issue_id", "email");

-- AddForeignKey
ALTER TABLE "issue_email_participants" ADD CONSTRAINT "issue_email_participants_issue_id_fkey" FOREIGN KEY ("issue_id") REFERENCES "issues"("id") ON DELETE CASCADE ON UPDATE CASCADE;
