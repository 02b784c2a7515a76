-- AlterTable
ALTER TABLE "members" ADD COLUMN     "created_by_id" INTEGER;

-- CreateTable
CREATE TABLE "group_shares" (
    "id" SERIAL NOT NULL,
    "namespace_id" INTEGER NOT NULL,
    "group_id" INTEGER NOT NULL,
    "group_lineage" INTEGER[],
    "group_access" INTEGER NOT NULL,
    "expires_at" DATE,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "group_shares_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "group_shares_group_id_idx" ON "group_shares"("group_id");

-- CreateIndex
CREATE INDEX "group_shares_group_lineage_idx" ON "group_shares" USING GIN ("group_lineage") WITH (fastupdate = off);

-- CreateIndex
CREATE UNIQUE INDEX "group_shares_namespace_id_group_id_key" ON "group_shares"("namespace_id", "group_id");

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_shares" ADD CONSTRAINT "group_shares_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_shares" ADD CONSTRAINT "group_shares_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;
