-- CreateTable
CREATE TABLE "job_processes" (
    "id" TEXT NOT NULL,
    "hostname" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "tag" TEXT NOT NULL,
    "queues" TEXT[],
    "labels" TEXT[],
    "concurrency" INTEGER NOT NULL,
    "busy" INTEGER NOT NULL DEFAULT 0,
    "processed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "job_processes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "job_totals" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "processed" BIGINT NOT NULL DEFAULT 0,
    "failed" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "job_totals_pkey" PRIMARY KEY ("id")
);

-- What Prisma's schema language has no words for -------------------------------------------------------------------

ALTER TABLE "job_totals" ADD CONSTRAINT "job_totals_one_row" CHECK ("id" = 1);
INSERT INTO "job_totals" DEFAULT VALUES;
