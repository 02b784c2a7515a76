-- CreateEnum
CREATE TYPE "approval_rule_type" AS ENUM ('regular', 'any_approver', 'code_owner');

-- AlterTable
ALTER TABLE "merge_requests" ADD COLUMN     "approval_rules_overwritten" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "code_owners_key" TEXT,
ADD COLUMN     "merge_when_approved" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "disable_overriding_approvers_per_merge_request" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "merge_requests_author_approval" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "merge_requests_disable_committers_approval" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "reset_approvals_on_push" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "protected_branches" ADD COLUMN     "code_owner_approval_required" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "approval_rules" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "merge_request_id" INTEGER,
    "rule_type" "approval_rule_type" NOT NULL DEFAULT 'regular',
    "name" TEXT NOT NULL,
    "section" TEXT,
    "approvals_required" INTEGER NOT NULL DEFAULT 0,
    "applies_to_all_protected_branches" BOOLEAN NOT NULL DEFAULT false,
    "source_rule_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "approval_rules_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "approval_rule_users" (
    "rule_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,

    CONSTRAINT "approval_rule_users_pkey" PRIMARY KEY ("rule_id","user_id")
);

-- CreateTable
CREATE TABLE "approval_rule_groups" (
    "rule_id" INTEGER NOT NULL,
    "group_id" INTEGER NOT NULL,

    CONSTRAINT "approval_rule_groups_pkey" PRIMARY KEY ("rule_id","group_id")
);

-- CreateTable
CREATE TABLE "approval_rule_branches" (
    "rule_id" INTEGER NOT NULL,
    "protected_branch_id" INTEGER NOT NULL,

    CONSTRAINT "approval_rule_branches_pkey" PRIMARY KEY ("rule_id","protected_branch_id")
);

-- CreateTable
CREATE TABLE "merge_request_committers" (
    "merge_request_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,

    CONSTRAINT "merge_request_committers_pkey" PRIMARY KEY ("merge_request_id","user_id")
);

-- CreateIndex
CREATE INDEX "approval_rules_project_id_merge_request_id_idx" ON "approval_rules"("project_id", "merge_request_id");

-- CreateIndex
CREATE INDEX "approval_rules_merge_request_id_idx" ON "approval_rules"("merge_request_id");

-- CreateIndex
CREATE INDEX "approval_rules_source_rule_id_idx" ON "approval_rules"("source_rule_id");

-- CreateIndex
CREATE INDEX "approval_rule_users_user_id_idx" ON "approval_rule_users"("user_id");

-- CreateIndex
CREATE INDEX "approval_rule_groups_group_id_idx" ON "approval_rule_groups"("group_id");

-- CreateIndex
CREATE INDEX "approval_rule_branches_protected_branch_id_idx" ON "approval_rule_branches"("protected_branch_id");

-- CreateIndex
CREATE INDEX "merge_request_committers_user_id_idx" ON "merge_request_committers"("user_id");

-- AddForeignKey
ALTER TABLE "approval_rules" ADD CONSTRAINT "approval_rules_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approval_rules" ADD CONSTRAINT "approval_rules_merge_request_id_fkey" FOREIGN KEY ("merge_request_id") REFERENCES "merge_requests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approval_rules" ADD CONSTRAINT "approval_rules_source_rule_id_fkey" FOREIGN KEY ("source_rule_id") REFERENCES "approval_rules"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approval_rule_users" ADD CONSTRAINT "approval_rule_users_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "approval_rules"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approval_rule_users" ADD CONSTRAINT "approval_rule_users_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approval_rule_groups" ADD CONSTRAINT "approval_rule_groups_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "approval_rules"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approval_rule_groups" ADD CONSTRAINT "approval_rule_groups_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approval_rule_branches" ADD CONSTRAINT "approval_rule_branches_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "approval_rules"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approval_rule_branches" ADD CONSTRAINT "approval_rule_branches_protected_branch_id_fkey" FOREIGN KEY ("protected_branch_id") REFERENCES "protected_branches"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "merge_request_committers" ADD CONSTRAINT "merge_request_committers_merge_request_id_fkey" FOREIGN KEY ("merge_request_id") REFERENCES "merge_requests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "merge_request_committers" ADD CONSTRAINT "merge_request_committers_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One rule of a name, and one for any approver, in each place. Prisma has no words for these.
CREATE UNIQUE INDEX "approval_rules_project_name" ON "approval_rules" ("project_id", "name")
  WHERE "merge_request_id" IS NULL AND "rule_type" = 'regular';
CREATE UNIQUE INDEX "approval_rules_project_any" ON "approval_rules" ("project_id")
  WHERE "merge_request_id" IS NULL AND "rule_type" = 'any_approver';
CREATE UNIQUE INDEX "approval_rules_merge_request_name" ON "approval_rules" ("merge_request_id", "name")
  WHERE "merge_request_id" IS NOT NULL AND "rule_type" = 'regular';
CREATE UNIQUE INDEX "approval_rules_merge_request_any" ON "approval_rules" ("merge_request_id")
  WHERE "merge_request_id" IS NOT NULL AND "rule_type" = 'any_approver';

ALTER TABLE "approval_rules" ADD CONSTRAINT "approval_rules_required" CHECK ("approvals_required" BETWEEN 0 AND 100);

-- The hourly job that stores commits finds who wrote those of open merge requests.
UPDATE "merge_request_versions" v SET "commits_stored" = false FROM "merge_requests" m WHERE m."id" = v."merge_request_id" AND m."state" = 'opened';
