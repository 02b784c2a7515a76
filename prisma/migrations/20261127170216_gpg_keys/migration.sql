-- CreateTable
CREATE TABLE "gpg_keys" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "primary_key_id" TEXT NOT NULL,
    "names" TEXT[],
    "emails" TEXT[],
    "revoked" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "gpg_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "gpg_subkeys" (
    "id" SERIAL NOT NULL,
    "gpg_key_id" INTEGER NOT NULL,
    "key_id" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,

    CONSTRAINT "gpg_subkeys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "gpg_keys_fingerprint_key" ON "gpg_keys"("fingerprint");

-- CreateIndex
CREATE UNIQUE INDEX "gpg_keys_primary_key_id_key" ON "gpg_keys"("primary_key_id");

-- CreateIndex
CREATE INDEX "gpg_keys_user_id_id_idx" ON "gpg_keys"("user_id", "id");

-- CreateIndex
CREATE INDEX "gpg_subkeys_key_id_idx" ON "gpg_subkeys"("key_id");

-- CreateIndex
CREATE INDEX "gpg_subkeys_gpg_key_id_id_idx" ON "gpg_subkeys"("gpg_key_id", "id");

-- AddForeignKey
ALTER TABLE "gpg_keys" ADD CONSTRAINT "gpg_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gpg_subkeys" ADD CONSTRAINT "gpg_subkeys_gpg_key_id_fkey" FOREIGN KEY ("gpg_key_id") REFERENCES "gpg_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;
