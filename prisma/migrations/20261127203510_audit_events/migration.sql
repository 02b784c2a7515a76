-- AlterTable
ALTER TABLE "personal_access_tokens" ADD COLUMN     "created_by_id" INTEGER;

-- CreateTable
CREATE TABLE "audit_events" (
    "id" SERIAL NOT NULL,
    "action" TEXT NOT NULL,
    "author_id" INTEGER,
    "author_name" TEXT,
    "impersonator_id" INTEGER,
    "impersonator_name" TEXT,
    "ip_address" TEXT,
    "project_id" INTEGER,
    "group_id" INTEGER,
    "user_id" INTEGER,
    "place_path" TEXT,
    "target_type" TEXT NOT NULL,
    "target_id" INTEGER,
    "target_name" TEXT,
    "attribute" TEXT,
    "old_value" TEXT,
    "new_value" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audit_events_created_at_id_idx" ON "audit_events"("created_at", "id");

-- CreateIndex
CREATE INDEX "audit_events_project_id_created_at_id_idx" ON "audit_events"("project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_events_group_id_created_at_id_idx" ON "audit_events"("group_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_events_user_id_created_at_id_idx" ON "audit_events"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_events_author_id_created_at_id_idx" ON "audit_events"("author_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_events_impersonator_id_idx" ON "audit_events"("impersonator_id");

-- CreateIndex
CREATE INDEX "audit_events_action_created_at_id_idx" ON "audit_events"("action", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_events_target_type_created_at_id_idx" ON "audit_events"("target_type", "created_at", "id");

-- CreateIndex
CREATE INDEX "personal_access_tokens_created_by_id_idx" ON "personal_access_tokens"("created_by_id");

-- AddForeignKey
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_impersonator_id_fkey" FOREIGN KEY ("impersonator_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "personal_access_tokens" ADD CONSTRAINT "personal_access_tokens_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
