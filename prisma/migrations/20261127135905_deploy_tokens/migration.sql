-- CreateTable
CREATE TABLE "deploy_tokens" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER,
    "group_id" INTEGER,
    "name" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "token_encrypted" BYTEA,
    "scopes" TEXT[],
    "revoked" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deploy_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "deploy_tokens_token_hash_key" ON "deploy_tokens"("token_hash");

-- CreateIndex
CREATE INDEX "deploy_tokens_project_id_id_idx" ON "deploy_tokens"("project_id", "id");

-- CreateIndex
CREATE INDEX "deploy_tokens_group_id_id_idx" ON "deploy_tokens"("group_id", "id");

-- AddForeignKey
ALTER TABLE "deploy_tokens" ADD CONSTRAINT "deploy_tokens_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deploy_tokens" ADD CONSTRAINT "deploy_tokens_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;
