-- CreateTable
CREATE TABLE "pull_mirrors" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "url_encrypted" BYTEA NOT NULL,
    "user_id" INTEGER,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "triggers_pipelines" BOOLEAN NOT NULL DEFAULT false,
    "only_protected_branches" BOOLEAN,
    "overwrites_diverged" BOOLEAN,
    "update_status" "mirror_status" NOT NULL DEFAULT 'none',
    "due_at" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "last_update_at" TIMESTAMPTZ(3),
    "last_update_started_at" TIMESTAMPTZ(3),
    "last_successful_update_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pull_mirrors_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "pull_mirrors_project_id_key" ON "pull_mirrors"("project_id");

-- CreateIndex
CREATE INDEX "pull_mirrors_due_at_idx" ON "pull_mirrors"("due_at");

-- CreateIndex
CREATE INDEX "pull_mirrors_user_id_idx" ON "pull_mirrors"("user_id");

-- AddForeignKey
ALTER TABLE "pull_mirrors" ADD CONSTRAINT "pull_mirrors_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pull_mirrors" ADD CONSTRAINT "pull_mirrors_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
