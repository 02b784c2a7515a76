-- CreateEnum
CREATE TYPE "oauth_token_kind" AS ENUM ('code', 'access', 'refresh', 'client');

-- CreateEnum
CREATE TYPE "oauth_key_purpose" AS ENUM ('signing', 'cookies');

-- CreateTable
CREATE TABLE "oauth_applications" (
    "id" SERIAL NOT NULL,
    "owner_id" INTEGER NOT NULL,
    "uid" TEXT NOT NULL,
    "secret_hash" BYTEA,
    "name" TEXT NOT NULL,
    "redirect_uris" TEXT[],
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oauth_applications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oauth_authorizations" (
    "user_id" INTEGER NOT NULL,
    "application_id" INTEGER NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oauth_authorizations_pkey" PRIMARY KEY ("user_id","application_id")
);

-- CreateTable
CREATE TABLE "oauth_grants" (
    "id" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "application_id" INTEGER,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_grants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oauth_tokens" (
    "token_hash" BYTEA NOT NULL,
    "kind" "oauth_token_kind" NOT NULL,
    "grant_id" TEXT,
    "user_id" INTEGER,
    "application_id" INTEGER,
    "scopes" TEXT[],
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "consumed_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_tokens_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "oauth_interactions" (
    "id_hash" BYTEA NOT NULL,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "oauth_interactions_pkey" PRIMARY KEY ("id_hash")
);

-- CreateTable
CREATE TABLE "oauth_keys" (
    "id" SERIAL NOT NULL,
    "purpose" "oauth_key_purpose" NOT NULL,
    "encrypted" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_keys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "oauth_applications_uid_key" ON "oauth_applications"("uid");

-- CreateIndex
CREATE INDEX "oauth_applications_owner_id_id_idx" ON "oauth_applications"("owner_id", "id");

-- CreateIndex
CREATE INDEX "oauth_authorizations_application_id_idx" ON "oauth_authorizations"("application_id");

-- CreateIndex
CREATE INDEX "oauth_grants_user_id_idx" ON "oauth_grants"("user_id");

-- CreateIndex
CREATE INDEX "oauth_grants_application_id_idx" ON "oauth_grants"("application_id");

-- CreateIndex
CREATE INDEX "oauth_tokens_grant_id_idx" ON "oauth_tokens"("grant_id");

-- CreateIndex
CREATE INDEX "oauth_tokens_user_id_idx" ON "oauth_tokens"("user_id");

-- CreateIndex
CREATE INDEX "oauth_tokens_application_id_idx" ON "oauth_tokens"("application_id");

-- CreateIndex
CREATE INDEX "oauth_tokens_expires_at_idx" ON "oauth_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "oauth_interactions_expires_at_idx" ON "oauth_interactions"("expires_at");

-- AddForeignKey
ALTER TABLE "oauth_applications" ADD CONSTRAINT "oauth_applications_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_authorizations" ADD CONSTRAINT "oauth_authorizations_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_authorizations" ADD CONSTRAINT "oauth_authorizations_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "oauth_applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_grants" ADD CONSTRAINT "oauth_grants_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_grants" ADD CONSTRAINT "oauth_grants_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "oauth_applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_tokens" ADD CONSTRAINT "oauth_tokens_grant_id_fkey" FOREIGN KEY ("grant_id") REFERENCES "oauth_grants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_tokens" ADD CONSTRAINT "oauth_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_tokens" ADD CONSTRAINT "oauth_tokens_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "oauth_applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema language has no words for -------------------------------------------------------------------

-- Only an application's own tokens are nobody's.
ALTER TABLE "oauth_tokens" ADD CONSTRAINT "oauth_tokens_belong" CHECK (
  CASE WHEN "kind" = 'client' THEN "user_id" IS NULL AND "grant_id" IS NULL AND "application_id" IS NOT NULL
  ELSE "user_id" IS NOT NULL AND "grant_id" IS NOT NULL END
);

-- One key of a purpose is in use.
CREATE UNIQUE INDEX "oauth_keys_current" ON "oauth_keys" ("purpose") WHERE "retired_at" IS NULL;

-- Whoever ends a grant ends everything that followed from it. Issuing a token holds the row of its grant, so that none is
-- issued beside this.
CREATE FUNCTION "end_oauth_tokens"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "oauth_tokens" SET "revoked_at" = NEW."revoked_at" WHERE "grant_id" = NEW."id" AND "revoked_at" IS NULL;
  RETURN NULL;
END $$;

CREATE TRIGGER "oauth_grants_end_tokens" AFTER UPDATE OF "revoked_at" ON "oauth_grants" FOR EACH ROW
  WHEN (OLD."revoked_at" IS NULL AND NEW."revoked_at" IS NOT NULL)
  EXECUTE FUNCTION "end_oauth_tokens"();

-- Whatever applications were let in by a user, or by who pretended to be that user, are out when the password changes and
-- when the user is blocked: on every way to change these, from the API to the command line.
CREATE FUNCTION "end_oauth_grants"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "oauth_authorizations" WHERE "user_id" = NEW."id";
  UPDATE "oauth_grants" SET "revoked_at" = now() WHERE "user_id" = NEW."id" AND "revoked_at" IS NULL;
  RETURN NULL;
END $$;

CREATE TRIGGER "users_end_oauth_grants" AFTER UPDATE OF "password_hash", "state" ON "users" FOR EACH ROW
  WHEN (OLD."password_hash" IS DISTINCT FROM NEW."password_hash" OR (OLD."state" = 'active' AND NEW."state" <> 'active'))
  EXECUTE FUNCTION "end_oauth_grants"();
