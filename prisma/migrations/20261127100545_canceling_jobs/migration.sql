-- Servers of the version before do not know it; only runners that say that they support it lead to it.
ALTER TYPE "job_status" ADD VALUE IF NOT EXISTS 'canceling';
