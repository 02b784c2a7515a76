-- CreateEnum
CREATE TYPE "account_token_kind" AS ENUM ('confirmation', 'password_reset');

-- AlterTable
ALTER TABLE "emails" ADD COLUMN     "confirmed_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "personal_access_tokens" ADD COLUMN     "last_used_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "two_factors" (
    "user_id" INTEGER NOT NULL,
    "secret_encrypted" BYTEA NOT NULL,
    "last_step" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "two_factors_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "recovery_codes" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "code_hash" BYTEA NOT NULL,

    CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account_tokens" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "kind" "account_token_kind" NOT NULL,
    "email" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "recovery_codes_user_id_code_hash_key" ON "recovery_codes"("user_id", "code_hash");

-- CreateIndex
CREATE UNIQUE INDEX "account_tokens_token_hash_key" ON "account_tokens"("token_hash");

-- CreateIndex
CREATE INDEX "account_tokens_user_id_kind_idx" ON "account_tokens"("user_id", "kind");

-- CreateIndex
CREATE INDEX "account_tokens_expires_at_idx" ON "account_tokens"("expires_at");

-- AddForeignKey
ALTER TABLE "two_factors" ADD CONSTRAINT "two_factors_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_tokens" ADD CONSTRAINT "account_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema language has no words for -------------------------------------------------------------------

-- Addresses from before were never asked for a confirmation.
UPDATE "emails" SET "confirmed_at" = "created_at";

-- A link in a mail ends with what it is about: that for a new password with the password and when the user is blocked, every
-- one with the address to which it was sent.
CREATE FUNCTION "end_account_tokens"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "account_tokens" WHERE "user_id" = NEW."id" AND (
    ("kind" = 'password_reset' AND (OLD."password_hash" <> NEW."password_hash" OR NEW."state" <> 'active'))
    OR ("email" = OLD."email" AND OLD."email" <> NEW."email"));
  RETURN NULL;
END $$;

CREATE TRIGGER "users_end_account_tokens" AFTER UPDATE OF "password_hash", "state", "email" ON "users" FOR EACH ROW
  WHEN (OLD."password_hash" <> NEW."password_hash" OR (OLD."state" = 'active' AND NEW."state" <> 'active') OR OLD."email" <> NEW."email")
  EXECUTE FUNCTION "end_account_tokens"();
