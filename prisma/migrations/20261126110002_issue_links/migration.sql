-- Links between related issues. Servers of the previous version do not know them.
CREATE TABLE "issue_links" (
    "id" SERIAL NOT NULL,
    "source_id" INTEGER NOT NULL,
    "target_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "issue_links_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "issue_links_to_others" CHECK ("source_id" <> "target_id")
);
CREATE UNIQUE INDEX "issue_links_source_id_target_id_key" ON "issue_links"("source_id", "target_id");
CREATE INDEX "issue_links_target_id_idx" ON "issue_links"("target_id");
ALTER TABLE "issue_links" ADD CONSTRAINT "issue_links_source_id_fkey" FOREIGN KEY ("source_id") REFERENCES "issues"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "issue_links" ADD CONSTRAINT "issue_links_target_id_fkey" FOREIGN KEY ("target_id") REFERENCES "issues"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
