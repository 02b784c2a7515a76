-- Times so far say nothing of what they were spent on.
ALTER TABLE "timelogs" ADD COLUMN "summary" TEXT;
