-- CreateEnum
CREATE TYPE "user_availability" AS ENUM ('busy', 'not_set');

-- AlterEnum
ALTER TYPE "user_state" ADD VALUE IF NOT EXISTS 'deactivated';
ALTER TYPE "user_state" ADD VALUE IF NOT EXISTS 'banned';
ALTER TYPE "user_state" ADD VALUE IF NOT EXISTS 'blocked_pending_approval';

-- AlterTable
ALTER TABLE "application_settings" ADD COLUMN     "deactivate_dormant_users_period" INTEGER NOT NULL DEFAULT 90,
ADD COLUMN     "require_admin_approval_after_user_signup" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "pass_user_identities_to_ci_jwt" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "public_email" TEXT,
ADD COLUMN     "show_whitespace_in_diffs" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "view_diffs_file_by_file" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "user_statuses" (
    "user_id" INTEGER NOT NULL,
    "emoji" TEXT NOT NULL,
    "message" TEXT,
    "availability" "user_availability" NOT NULL DEFAULT 'not_set',
    "clear_at" TIMESTAMPTZ(3),

    CONSTRAINT "user_statuses_pkey" PRIMARY KEY ("user_id")
);

-- AddForeignKey
ALTER TABLE "user_statuses" ADD CONSTRAINT "user_statuses_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- An address that is no longer the user's is not public any more.
CREATE FUNCTION "forget_public_email"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "users" SET "public_email" = NULL WHERE "id" = OLD."user_id" AND "public_email" = OLD."email";
  RETURN NULL;
END $$;

CREATE TRIGGER "emails_forget_public_email" AFTER DELETE ON "emails" FOR EACH ROW EXECUTE FUNCTION "forget_public_email"();

CREATE FUNCTION "keep_public_email"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."public_email" = OLD."email" THEN NEW."public_email" := NULL; END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "users_keep_public_email" BEFORE UPDATE OF "email" ON "users" FOR EACH ROW
  WHEN (OLD."email" <> NEW."email") EXECUTE FUNCTION "keep_public_email"();
