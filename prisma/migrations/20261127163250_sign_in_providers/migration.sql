-- CreateTable
CREATE TABLE "provided_memberships" (
    "member_id" INTEGER NOT NULL,
    "identity_id" INTEGER NOT NULL,

    CONSTRAINT "provided_memberships_pkey" PRIMARY KEY ("member_id")
);

-- CreateTable
CREATE TABLE "sign_in_challenges" (
    "key_hash" BYTEA NOT NULL,
    "content_encrypted" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_challenges_pkey" PRIMARY KEY ("key_hash")
);

-- CreateIndex
CREATE INDEX "provided_memberships_identity_id_idx" ON "provided_memberships"("identity_id");

-- CreateIndex
CREATE INDEX "sign_in_challenges_expires_at_idx" ON "sign_in_challenges"("expires_at");

-- AddForeignKey
ALTER TABLE "provided_memberships" ADD CONSTRAINT "provided_memberships_member_id_fkey" FOREIGN KEY ("member_id") REFERENCES "members"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "provided_memberships" ADD CONSTRAINT "provided_memberships_identity_id_fkey" FOREIGN KEY ("identity_id") REFERENCES "identities"("id") ON DELETE CASCADE ON UPDATE CASCADE;
