-- CreateTable
CREATE TABLE "job_traces" (
    "job_id" INTEGER NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "size" BIGINT NOT NULL DEFAULT 0,
    "received" BIGINT NOT NULL DEFAULT 0,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "job_traces_pkey" PRIMARY KEY ("job_id")
);

-- CreateTable
CREATE TABLE "job_artifacts" (
    "job_id" INTEGER NOT NULL,
    "project_id" INTEGER NOT NULL,
    "secret" TEXT NOT NULL,
    "file_name" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "expire_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "job_artifacts_pkey" PRIMARY KEY ("job_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "job_artifacts_secret_key" ON "job_artifacts"("secret");

-- CreateIndex
CREATE INDEX "job_artifacts_project_id_idx" ON "job_artifacts"("project_id");

-- CreateIndex
CREATE INDEX "job_artifacts_expire_at_idx" ON "job_artifacts"("expire_at");

-- AddForeignKey
ALTER TABLE "job_traces" ADD CONSTRAINT "job_traces_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_artifacts" ADD CONSTRAINT "job_artifacts_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_artifacts" ADD CONSTRAINT "job_artifacts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Tells subscribers where the new part of a trace begins, as "job_trace_chunks" does.
CREATE FUNCTION "tell_trace_file"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tell_subscribers"('trace ' || j."id" || ' ' || j."project_id" || ' ' || least(OLD."size", NEW."size")) FROM "jobs" j
    WHERE j."id" = NEW."job_id";
  RETURN NULL;
END $$;

CREATE TRIGGER "job_traces_tell" AFTER UPDATE OF "size" ON "job_traces"
  FOR EACH ROW EXECUTE FUNCTION "tell_trace_file"();
