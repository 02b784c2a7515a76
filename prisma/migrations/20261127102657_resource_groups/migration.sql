ALTER TABLE "jobs" ADD COLUMN "resource_group" TEXT,
  ADD COLUMN "holds_resource" BOOLEAN NOT NULL DEFAULT false;
