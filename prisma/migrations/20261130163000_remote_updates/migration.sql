-- Projects from other servers that are brought up to date from there again. Servers of the version before know nothing of it: they make
-- no updates, and projects that they import cannot be updated.
CREATE TABLE "remote_records" (
    "project_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "source_key" TEXT NOT NULL,
    "record_id" INTEGER,
    "other_id" INTEGER,
    "fields" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "remote_records_pkey" PRIMARY KEY ("project_id", "kind", "source_key")
);

ALTER TABLE "remote_records" ADD CONSTRAINT "remote_records_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "remote_updates" (
    "project_id" INTEGER NOT NULL,
    "user_id" INTEGER,
    "status" "ImportStatus" NOT NULL DEFAULT 'scheduled',
    "error" TEXT,
    "source" BYTEA,
    "parts" TEXT[],
    "phase" TEXT,
    "counts" JSONB NOT NULL DEFAULT '[]',
    "left_out" JSONB NOT NULL DEFAULT '[]',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "continues_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "remote_updates_pkey" PRIMARY KEY ("project_id")
);

-- Who works on an import or an update, and until when others leave it alone.
CREATE TABLE "remote_import_leases" (
    "name" TEXT NOT NULL,
    "worker" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "remote_import_leases_pkey" PRIMARY KEY ("name")
);

CREATE INDEX "remote_updates_user_id_idx" ON "remote_updates"("user_id");

ALTER TABLE "remote_updates" ADD CONSTRAINT "remote_updates_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "remote_updates" ADD CONSTRAINT "remote_updates_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
