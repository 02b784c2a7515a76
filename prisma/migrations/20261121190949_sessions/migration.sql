-- CreateTable
CREATE TABLE "sessions" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "sessions_token_hash_key" ON "sessions"("token_hash");

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE INDEX "sessions_last_seen_at_idx" ON "sessions"("last_seen_at");

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema language has no words for -------------------------------------------------------------------

-- Whatever was given to a user who signed in ends with the password that was used, and when the user is blocked: on every
-- way to change these, from the API to the command line.
CREATE FUNCTION "end_sign_ins"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "sessions" WHERE "user_id" = NEW."id";
  RETURN NULL;
END $$;

CREATE TRIGGER "users_end_sign_ins" AFTER UPDATE OF "password_hash", "state" ON "users" FOR EACH ROW
  WHEN (OLD."password_hash" IS DISTINCT FROM NEW."password_hash" OR (OLD."state" = 'active' AND NEW."state" <> 'active'))
  EXECUTE FUNCTION "end_sign_ins"();
