-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "job_token_scope_enabled" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE TABLE "job_token_projects" (
    "project_id" INTEGER NOT NULL,
    "allowed_project_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "job_token_projects_pkey" PRIMARY KEY ("project_id","allowed_project_id")
);

-- CreateTable
CREATE TABLE "job_token_groups" (
    "project_id" INTEGER NOT NULL,
    "group_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "job_token_groups_pkey" PRIMARY KEY ("project_id","group_id")
);

-- CreateIndex
CREATE INDEX "job_token_projects_allowed_project_id_idx" ON "job_token_projects"("allowed_project_id");

-- CreateIndex
CREATE INDEX "job_token_groups_group_id_idx" ON "job_token_groups"("group_id");

-- AddForeignKey
ALTER TABLE "job_token_projects" ADD CONSTRAINT "job_token_projects_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_token_projects" ADD CONSTRAINT "job_token_projects_allowed_project_id_fkey" FOREIGN KEY ("allowed_project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_token_groups" ADD CONSTRAINT "job_token_groups_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_token_groups" ADD CONSTRAINT "job_token_groups_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;
