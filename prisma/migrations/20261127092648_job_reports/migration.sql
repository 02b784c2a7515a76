-- CreateTable
CREATE TABLE "job_reports" (
    "id" SERIAL NOT NULL,
    "job_id" INTEGER NOT NULL,
    "project_id" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "file_name" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "expire_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "job_reports_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "job_reports_secret_key" ON "job_reports"("secret");

-- CreateIndex
CREATE INDEX "job_reports_project_id_idx" ON "job_reports"("project_id");

-- CreateIndex
CREATE INDEX "job_reports_expire_at_idx" ON "job_reports"("expire_at");

-- CreateIndex
CREATE UNIQUE INDEX "job_reports_job_id_type_key" ON "job_reports"("job_id", "type");

-- AddForeignKey
ALTER TABLE "job_reports" ADD CONSTRAINT "job_reports_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_reports" ADD CONSTRAINT "job_reports_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
