-- CreateTable
CREATE TABLE "chat_connections" (
    "id" SERIAL NOT NULL,
    "integration_id" INTEGER NOT NULL,
    "team_id" TEXT NOT NULL,
    "chat_user_id" TEXT NOT NULL,
    "team_name" TEXT,
    "chat_user_name" TEXT,
    "user_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "chat_connections_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "chat_connections_user_id_id_idx" ON "chat_connections"("user_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "chat_connections_integration_id_team_id_chat_user_id_key" ON "chat_connections"("integration_id", "team_id", "chat_user_id");

-- AddForeignKey
ALTER TABLE "chat_connections" ADD CONSTRAINT "chat_connections_integration_id_fkey" FOREIGN KEY ("integration_id") REFERENCES "integrations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_connections" ADD CONSTRAINT "chat_connections_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
