-- Runners, which run the jobs of projects, and what is known of a job while one runs it. All of it is new to earlier versions, and
-- nothing that they write lacks.
ALTER TABLE "application_settings" ADD COLUMN "runners_token_encrypted" BYTEA;

ALTER TABLE "jobs" ADD COLUMN "failure_reason" TEXT,
ADD COLUMN "last_sign_at" TIMESTAMPTZ(3),
ADD COLUMN "tags" TEXT[],
ADD COLUMN "timeout" INTEGER,
ADD COLUMN "token_hash" BYTEA;

ALTER TABLE "projects" ADD COLUMN "build_timeout" INTEGER NOT NULL DEFAULT 3600,
ADD COLUMN "runners_token_hash" BYTEA;

ALTER TABLE "variables" ADD COLUMN "protected" BOOLEAN NOT NULL DEFAULT false;

CREATE TABLE "runners" (
    "id" SERIAL NOT NULL,
    "description" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "is_shared" BOOLEAN NOT NULL DEFAULT false,
    "run_untagged" BOOLEAN NOT NULL DEFAULT true,
    "locked" BOOLEAN NOT NULL DEFAULT false,
    "tag_list" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "name" TEXT,
    "version" TEXT,
    "revision" TEXT,
    "platform" TEXT,
    "architecture" TEXT,
    "contacted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "runners_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "runner_projects" (
    "runner_id" INTEGER NOT NULL,
    "project_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "runner_projects_pkey" PRIMARY KEY ("runner_id","project_id")
);

CREATE UNIQUE INDEX "runners_token_hash_key" ON "runners"("token_hash");

CREATE INDEX "runners_is_shared_id_idx" ON "runners"("is_shared", "id");

CREATE INDEX "runner_projects_project_id_runner_id_idx" ON "runner_projects"("project_id", "runner_id");

CREATE UNIQUE INDEX "jobs_token_hash_key" ON "jobs"("token_hash");

CREATE INDEX "jobs_runner_id_id_idx" ON "jobs"("runner_id", "id");

CREATE UNIQUE INDEX "projects_runners_token_hash_key" ON "projects"("runners_token_hash");

ALTER TABLE "jobs" ADD CONSTRAINT "jobs_runner_id_fkey" FOREIGN KEY ("runner_id") REFERENCES "runners"("id") ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE "runner_projects" ADD CONSTRAINT "runner_projects_runner_id_fkey" FOREIGN KEY ("runner_id") REFERENCES "runners"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "runner_projects" ADD CONSTRAINT "runner_projects_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Of many finished jobs none is looked at: those that wait for a runner, and those that run, in each project.
CREATE INDEX "jobs_queue" ON "jobs" ("id") WHERE "status" = 'pending' AND NOT "generic";
CREATE INDEX "jobs_running" ON "jobs" ("project_id") WHERE "status" = 'running' AND NOT "generic";

-- Projects of earlier versions, whose tokens can be found once they are hashed.
CREATE INDEX "projects_runners_token_unhashed" ON "projects" ("id") WHERE "runners_token_hash" IS NULL;

-- Tells all processes, when the transaction commits, in which project there may be a job for a runner that was none before. What
-- one transaction says twice in the same words is heard once.
CREATE FUNCTION "tell_queue"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'jobs' THEN PERFORM pg_notify('gantry_queue', NEW."project_id"::text);
  ELSE PERFORM pg_notify('gantry_queue', NEW."id"::text);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "jobs_queued" AFTER INSERT ON "jobs"
  FOR EACH ROW WHEN (NEW."status" = 'pending' AND NOT NEW."generic") EXECUTE FUNCTION "tell_queue"();
CREATE TRIGGER "jobs_queued_again" AFTER UPDATE OF "status" ON "jobs"
  FOR EACH ROW WHEN (NEW."status" = 'pending' AND OLD."status" <> 'pending' AND NOT NEW."generic") EXECUTE FUNCTION "tell_queue"();
CREATE TRIGGER "projects_queued" AFTER UPDATE OF "shared_runners_enabled", "jobs_enabled", "archived" ON "projects"
  FOR EACH ROW WHEN ((NEW."shared_runners_enabled" AND NOT OLD."shared_runners_enabled")
    OR (NEW."jobs_enabled" AND NOT OLD."jobs_enabled") OR (OLD."archived" AND NOT NEW."archived"))
  EXECUTE FUNCTION "tell_queue"();
