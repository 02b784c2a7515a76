-- CreateEnum
CREATE TYPE "merge_method" AS ENUM ('merge', 'rebase_merge', 'ff');

-- CreateEnum
CREATE TYPE "squash_option" AS ENUM ('never', 'always', 'default_on', 'default_off');

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "merge_method" "merge_method" NOT NULL DEFAULT 'merge',
ADD COLUMN     "squash_option" "squash_option" NOT NULL DEFAULT 'default_off',
ADD COLUMN     "merge_commit_template" TEXT,
ADD COLUMN     "squash_commit_template" TEXT,
ADD COLUMN     "remove_source_branch_after_merge" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "autoclose_referenced_issues" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "allow_merge_on_skipped_pipeline" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "auto_cancel_pending_pipelines" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "ci_config_path" TEXT;
