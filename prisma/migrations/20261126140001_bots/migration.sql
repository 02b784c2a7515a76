-- All accounts so far are those of people.
ALTER TABLE "users" ADD COLUMN "bot" BOOLEAN NOT NULL DEFAULT false;
