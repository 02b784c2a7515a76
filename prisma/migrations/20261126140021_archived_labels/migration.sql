-- All labels so far are in use.
ALTER TABLE "labels" ADD COLUMN "archived" BOOLEAN NOT NULL DEFAULT false;
