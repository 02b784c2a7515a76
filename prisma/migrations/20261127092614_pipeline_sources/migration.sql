-- Servers of the version before do not know them; only schedules and files that they do not read lead to them.
ALTER TYPE "pipeline_source" ADD VALUE IF NOT EXISTS 'schedule';
ALTER TYPE "pipeline_source" ADD VALUE IF NOT EXISTS 'pipeline';
ALTER TYPE "pipeline_source" ADD VALUE IF NOT EXISTS 'parent_pipeline';
