ALTER TABLE "pipeline_schedules" ADD COLUMN "inputs" JSONB NOT NULL DEFAULT '{}';
