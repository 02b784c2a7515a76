-- CreateTable
CREATE TABLE "badges" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER,
    "group_id" INTEGER,
    "name" TEXT,
    "link_url" TEXT NOT NULL,
    "image_url" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "badges_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "badges_place" CHECK (num_nonnulls("project_id", "group_id") = 1)
);

-- CreateIndex
CREATE INDEX "badges_project_id_id_idx" ON "badges"("project_id", "id");

-- CreateIndex
CREATE INDEX "badges_group_id_id_idx" ON "badges"("group_id", "id");

-- AddForeignKey
ALTER TABLE "badges" ADD CONSTRAINT "badges_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "badges" ADD CONSTRAINT "badges_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;
