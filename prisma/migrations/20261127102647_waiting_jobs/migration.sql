-- Servers of the version before do not know it; only files that they do not read lead to it.
ALTER TYPE "job_status" ADD VALUE IF NOT EXISTS 'waiting_for_resource';
