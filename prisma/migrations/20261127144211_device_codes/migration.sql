-- CreateTable
CREATE TABLE "oauth_device_codes" (
    "code_hash" BYTEA NOT NULL,
    "user_code_hash" BYTEA NOT NULL,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "polled_at" TIMESTAMPTZ(3),
    "consumed_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_device_codes_pkey" PRIMARY KEY ("code_hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "oauth_device_codes_user_code_hash_key" ON "oauth_device_codes"("user_code_hash");

-- CreateIndex
CREATE INDEX "oauth_device_codes_expires_at_idx" ON "oauth_device_codes"("expires_at");
