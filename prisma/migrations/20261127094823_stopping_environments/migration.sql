-- Servers of the version before do not know it; it is stopped or available soon after.
ALTER TYPE "environment_state" ADD VALUE IF NOT EXISTS 'stopping';
