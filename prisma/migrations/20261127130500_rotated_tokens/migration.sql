ALTER TABLE "personal_access_tokens" ADD COLUMN "description" TEXT,
  ADD COLUMN "family_id" INTEGER;
