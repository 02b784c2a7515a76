-- CreateTable
CREATE TABLE "group_exports" (
    "group_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "state" "project_export_state" NOT NULL DEFAULT 'queued',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "secret" TEXT,
    "file_name" TEXT,
    "size" BIGINT,
    "finished_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "group_exports_pkey" PRIMARY KEY ("group_id","user_id")
);

-- CreateTable
CREATE TABLE "group_imports" (
    "group_id" INTEGER NOT NULL,
    "user_id" INTEGER,
    "state" "project_export_state" NOT NULL DEFAULT 'queued',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "secret" TEXT,
    "left_out" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "group_imports_pkey" PRIMARY KEY ("group_id")
);

-- CreateIndex
CREATE INDEX "group_exports_user_id_idx" ON "group_exports"("user_id");

-- CreateIndex
CREATE INDEX "group_exports_finished_at_idx" ON "group_exports"("finished_at");

-- CreateIndex
CREATE INDEX "group_imports_user_id_idx" ON "group_imports"("user_id");

-- AddForeignKey
ALTER TABLE "group_exports" ADD CONSTRAINT "group_exports_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_exports" ADD CONSTRAINT "group_exports_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_imports" ADD CONSTRAINT "group_imports_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_imports" ADD CONSTRAINT "group_imports_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
