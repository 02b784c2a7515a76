ALTER TABLE "pipelines" ADD COLUMN "predefined" JSONB,
  ADD COLUMN "name" TEXT,
  ADD COLUMN "auto_cancel" JSONB;

ALTER TABLE "jobs" ADD COLUMN "needs" TEXT[],
  ADD COLUMN "interruptible" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "scheduled_at" TIMESTAMPTZ(3),
  ADD COLUMN "exit_code" INTEGER;
