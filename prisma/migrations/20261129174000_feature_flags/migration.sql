-- AlterTable
ALTER TABLE "hooks" ADD COLUMN     "feature_flag_events" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "project_counters" ADD COLUMN     "last_feature_flag_iid" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "last_feature_flag_user_list_iid" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "feature_flags_enabled" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE TABLE "feature_flags" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "iid" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "feature_flags_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "feature_flag_strategies" (
    "id" SERIAL NOT NULL,
    "feature_flag_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "parameters" JSONB NOT NULL DEFAULT '{}',
    "user_list_id" INTEGER,

    CONSTRAINT "feature_flag_strategies_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "feature_flag_scopes" (
    "id" SERIAL NOT NULL,
    "strategy_id" INTEGER NOT NULL,
    "environment_scope" TEXT NOT NULL,

    CONSTRAINT "feature_flag_scopes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "feature_flag_user_lists" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "iid" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "user_xids" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "feature_flag_user_lists_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "feature_flag_clients" (
    "project_id" INTEGER NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "token_encrypted" BYTEA NOT NULL,
    "version" UUID NOT NULL DEFAULT gen_random_uuid(),

    CONSTRAINT "feature_flag_clients_pkey" PRIMARY KEY ("project_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "feature_flags_project_id_name_key" ON "feature_flags"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "feature_flags_project_id_iid_key" ON "feature_flags"("project_id", "iid");

-- CreateIndex
CREATE INDEX "feature_flag_strategies_feature_flag_id_id_idx" ON "feature_flag_strategies"("feature_flag_id", "id");

-- CreateIndex
CREATE INDEX "feature_flag_strategies_user_list_id_idx" ON "feature_flag_strategies"("user_list_id");

-- CreateIndex
CREATE UNIQUE INDEX "feature_flag_scopes_strategy_id_environment_scope_key" ON "feature_flag_scopes"("strategy_id", "environment_scope");

-- CreateIndex
CREATE UNIQUE INDEX "feature_flag_user_lists_project_id_name_key" ON "feature_flag_user_lists"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "feature_flag_user_lists_project_id_iid_key" ON "feature_flag_user_lists"("project_id", "iid");

-- AddForeignKey
ALTER TABLE "feature_flags" ADD CONSTRAINT "feature_flags_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feature_flag_strategies" ADD CONSTRAINT "feature_flag_strategies_feature_flag_id_fkey" FOREIGN KEY ("feature_flag_id") REFERENCES "feature_flags"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feature_flag_strategies" ADD CONSTRAINT "feature_flag_strategies_user_list_id_fkey" FOREIGN KEY ("user_list_id") REFERENCES "feature_flag_user_lists"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feature_flag_scopes" ADD CONSTRAINT "feature_flag_scopes_strategy_id_fkey" FOREIGN KEY ("strategy_id") REFERENCES "feature_flag_strategies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feature_flag_user_lists" ADD CONSTRAINT "feature_flag_user_lists_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feature_flag_clients" ADD CONSTRAINT "feature_flag_clients_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
