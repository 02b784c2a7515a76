-- Up to where a read replica has to be before it answers who wrote last. Nothing of it outlives a crash, after which nobody reads from one
-- until it has caught up. Servers of the version before read from no replica.
CREATE UNLOGGED TABLE "caller_writes" (
    "caller" TEXT NOT NULL,
    "lsn" TEXT NOT NULL,
    "written_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "caller_writes_pkey" PRIMARY KEY ("caller")
);

CREATE INDEX "caller_writes_written_at_idx" ON "caller_writes" ("written_at");
